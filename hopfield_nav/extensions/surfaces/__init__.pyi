from .responses.follow import Follow as Follow
from .responses.slide import SlideAlong as SlideAlong
from .slide_phase import SlidePhase as SlidePhase
from .sliding import felt_normal as felt_normal
from .sliding import slide_about as slide_about
from .sliding import with_sliding as with_sliding
