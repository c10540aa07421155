from .collision_map import CollisionMap as CollisionMap
from .follower import Follower as Follower
from .follower import check_trajectory as check_trajectory
from .navigator import Navigator as Navigator
from .route import Way as Way
from .warm_up import warm_up_replan as warm_up_replan
