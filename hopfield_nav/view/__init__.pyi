from .live import LivePage as LivePage
from .of_plan import describe_plan as describe_plan
from .of_run import RunView as RunView
from .of_run import describe_run as describe_run
from .of_stream import StreamPage as StreamPage
from .template import page_text as page_text
from .template import write_page as write_page
