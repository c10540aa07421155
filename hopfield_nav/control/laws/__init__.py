"""Control laws: every file is one, under its own name (see ``hopfield_nav.plugin``)."""
