from .draw import draw_run_figures as draw_run_figures
from .film import animate_run as animate_run
