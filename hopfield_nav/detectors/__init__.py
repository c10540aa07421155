"""Force estimators and collision detectors, one a file (see ``hopfield_nav.plugin``)."""
