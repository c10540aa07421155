from .draw import draw_plan_figures as draw_plan_figures
from .draw import draw_solutions_figure as draw_solutions_figure
from .draw import known_solids as known_solids
from .film import animate_plan as animate_plan
