"""What a run may do without.

Every folder is an extension, a small house of its own, with ``extension.py`` as its door. The core
knows none of them by name, see ``hopfield_nav.plugin.extension``.
"""
