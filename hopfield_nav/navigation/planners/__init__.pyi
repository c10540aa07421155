from .choice import WithPlan as WithPlan
from .choice import believed_map as believed_map
from .choice import open_cells as open_cells
from .choice import plan_with as plan_with
from .choice import planner_for as planner_for
from .own import as_points as as_points
