from .baseline import Baseline as Baseline
from .environment import ReachEnv as ReachEnv
from .environment import register_environments as register_environments
