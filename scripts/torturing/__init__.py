"""Trials that try to break the program, for ``scripts/torture.py``."""
