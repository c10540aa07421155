from .plants.flexible import FlexibleLoop as FlexibleLoop
from .plants.mujoco import MujocoLoop as MujocoLoop
