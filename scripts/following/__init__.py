"""Following what is felt beside replanning: what ``follow_study.py`` is made of."""
