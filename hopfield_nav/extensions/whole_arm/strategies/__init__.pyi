from .choice import ArmFelt as ArmFelt
from .choice import belief_for as belief_for
