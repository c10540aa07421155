from .blocking import block_known as block_known
from .blocking import mark_ball as mark_ball
from .grid import JointGrid as JointGrid
from .grid import default_bounds as default_bounds
from .grid import grid_of as grid_of
from .learning import CollisionBelief as CollisionBelief
from .navigator import WholeArmNavigator as WholeArmNavigator
