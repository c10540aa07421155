from .collision_map import CollisionMap as CollisionMap
from .follower import Follower as Follower
from .follower import check_trajectory as check_trajectory
from .motion import PlannedMotion as PlannedMotion
from .navigator import Navigator as Navigator
from .start import depths_at_start as depths_at_start
from .warm_up import warm_up_replan as warm_up_replan
