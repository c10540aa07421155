"""Engines: what advances the state of a run.

Every file is one, under its own name (see ``hopfield_nav.plugin``).
"""
