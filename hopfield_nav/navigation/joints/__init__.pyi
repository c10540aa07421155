from .blocking import block_known as block_known
from .blocking import mark_ball as mark_ball
from .doubts import LIKELY as LIKELY
from .grid import JointGrid as JointGrid
from .grid import default_bounds as default_bounds
from .guess import NOWHERE as NOWHERE
from .guess import Places as Places
from .navigator import JointNavigator as JointNavigator
