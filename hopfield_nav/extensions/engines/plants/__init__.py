"""The engines of this extension, one a file, under their own names (see ``hopfield_nav.plugin``)."""
