"""Whole runs under real conditions: what ``learning_study.py`` is made of."""
