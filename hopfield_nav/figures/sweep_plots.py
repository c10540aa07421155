"""The plots of a sweep, each for one's own axes.

with paper_style():
    ax = draw_heat_map(plt.figure().add_subplot(), data, "peak_contact_force_N", x, y)
"""

from hopfield_nav.figures.sweep_heat_map import draw_heat_map, heat_map_handles
from hopfield_nav.figures.sweep_lines import draw_lines
from hopfield_nav.figures.sweep_outcomes import OUTCOMES, draw_outcomes, outcome_handles, wilson
from hopfield_nav.figures.sweep_pareto import draw_pareto, pareto_front

__all__ = [
    "OUTCOMES",
    "draw_heat_map",
    "draw_lines",
    "draw_outcomes",
    "draw_pareto",
    "heat_map_handles",
    "outcome_handles",
    "pareto_front",
    "wilson",
]
