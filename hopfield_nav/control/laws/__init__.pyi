from .inverse_dynamics import DAMPING_RATIO as DAMPING_RATIO
from .inverse_dynamics import OMEGA as OMEGA
