"""Whole runs under real conditions: what ``touch_study.py`` is made of."""
