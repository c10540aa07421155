from .gear_fit import GearFit as GearFit
from .gear_fit import fit_gear as fit_gear
from .learner import Learner as Learner
from .learner import learnt_arm as learnt_arm
from .link_learning import COULOMB as COULOMB
from .link_learning import LinkLearning as LinkLearning
from .link_learning import Windows as Windows
