from .baseline import Baseline as Baseline
from .environment import ReachEnv as ReachEnv
