"""Engines: what advances the state of a run, every file one under its own name (see ``hopfield_nav.plugin``)."""
