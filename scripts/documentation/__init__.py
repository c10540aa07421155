"""The documentation as a site, its pages run, its notebooks executed."""
