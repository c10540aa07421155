"""The whole arm in random scenes: what ``whole_arm_study.py`` is made of."""
