"""The owner of maps of joint angles, under its own name (see ``hopfield_nav.plugin``)."""
