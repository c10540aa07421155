"""The whole arm in random scenes: what ``friction_study.py`` is made of."""
