from .draw import draw_plan_figures as draw_plan_figures
from .draw import draw_solutions_figure as draw_solutions_figure
from .draw import draw_stopped_figure as draw_stopped_figure
from .film import animate_way as animate_way
