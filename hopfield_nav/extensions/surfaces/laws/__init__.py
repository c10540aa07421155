"""The control law of the extension ``surfaces``, under its own name (see ``hopfield_nav.plugin``)."""
