"""Owners of maps, which ``map.space`` names.

Every file is one under its own name (see ``hopfield_nav.plugin``).
"""
