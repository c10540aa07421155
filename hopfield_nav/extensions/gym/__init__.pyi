from .environment import ReachEnv as ReachEnv
