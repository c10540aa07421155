"""Control laws, one a file; each file ends in a ``METHOD`` (see ``hopfield_nav.plugin``)."""
