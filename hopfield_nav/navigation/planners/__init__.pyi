from .choice import as_points as as_points
from .choice import believed_map as believed_map
from .choice import built_in as built_in
from .choice import open_cells as open_cells
from .choice import planner_for as planner_for
