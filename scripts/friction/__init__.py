"""What gears that give before they slip do to an arm that feels its way: parts of ``friction_study.py``."""
