from .responses.follow import Follow as Follow
from .responses.slide import SlideAlong as SlideAlong
from .slide_phase import SlidePhase as SlidePhase
from .slide_phase import felt_normal as felt_normal
from .slide_phase import with_sliding as with_sliding
