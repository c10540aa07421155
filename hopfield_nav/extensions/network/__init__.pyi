from .of_run import describe_run as describe_run
from .of_run import describe_world as describe_world
from .of_run import has_plane as has_plane
from .template import page_text as page_text
