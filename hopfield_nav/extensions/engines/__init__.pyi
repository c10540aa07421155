from .flexible import FlexibleLoop as FlexibleLoop
from .mujoco import MujocoLoop as MujocoLoop
