"""The tuned numbers of the whole arm, by idea; each with its unit, what it does, and in brackets where it came from.

*guess*: set when its part was written and not varied since, in no study that was kept. *boxes*: set
while an early no was made, on the first eighteen boxes of each family of
``scripts/suites/closed_boxes.py``. *probes*: set while probes were made, on closed bodies that
somebody else's script draws (its seeds 41 and 42). *surfaces*: chosen on the first forty seeds of
``scripts/suites/whole_arm_told.yaml``. *straight*: chosen so that the force of touches in
``scripts/suites/whole_arm_straight.yaml`` is no larger than step by step. *timed*: as long as
something else takes. *numeric*: a tolerance or a resolution; a finer one changes results by
rounding alone.
"""

# fmt: off (a table: a number a line, with what it is)
# Which path is chosen (``arm_map``, ``search``, ``step_checks``)
CERTAINTY_LEVELS = (
    0.0,
    0.05,
    0.1,
    0.2,
    0.35,
    0.5,
    0.7,
    0.85,
    0.95,
    0.99,
    0.999,
    1.0,
)  # that may be risked [guess]
EVEN_CHANCE = 0.5  # certainty risked before more centres are tried, weight of a place at which more is felt [guess]
NO_DOUBT = (
    1e-4  # of -ln(1 - certainty): less is what is left where something was taken back [numeric]
)
ENTRY_REACH = 2  # cells; as far lie the centres over which the map is entered or left [guess]
EXITS, MOST_EXITS = (
    4,
    64,
)  # nearest centres from which a solution is reached: "near", and "all" with finer [guess]
ROUNDS = (
    40  # of paths through likely places, before so much certainty is thought to leave none [guess]
)
MOST_STEPS = 300  # steps beside one that touches, checked in one round [timed: as long as the network settles]
PLACE_RADIUS = 0.01  # m; of a likely place while steps and lines are checked [guess]
CUT_ASIDE = 1e-6  # rad; so far behind the arm lies a cut beside it, which may be at the centre of a cell [numeric]
SAME_ANGLE = 1e-9  # rad; angles that are nearer are the same [numeric]
ON_AXIS = 1e-12  # m; a body that is nearer to an axis lies along it [numeric]
LEAST_CLOSED = 3  # cells of a closed axis at least: of fewer each is beside each [numeric]

# What touches say of cells (``learning``)
SHELLS = (
    (0.03, 0.35),
    (0.01, 0.6),
    (-0.02, 0.9),
)  # m, 1; from the arm to a place, and certainty there [guess]
FINE_SHELLS = ((0.01, 0.35), (0.0, 0.6), (-0.01, 0.9))  # m, 1; the same on a finer map [guess]
TOGETHER, AGREEMENT = (
    0.08,
    4.0,
)  # m, 1; as near are touches of one obstacle, and how much that says [guess]
DEEP = 0.005  # m; in the arm a place lies that it contains [guess]
NEAR_TOUCH, AGAINST_PUSH = (
    0.15,
    0.1,
)  # rad, 1; from the last touch, where its push counts, and cosine to it of a way against it [probes]
BEYOND_BLOCK, BLOCK_CERTAINTY = (
    0.05,
    0.999,
)  # weight of a place on a link beyond a block, and certainty that it is closed at most [guess]
CHANGED_WEIGHT = 0.05  # of a place, from which on its cells are marked anew [guess]
SURFACE_WEIGHT, SURFACE_SHARE = (
    0.6,
    0.6,
)  # of a place with a surface, and the share of it that is said there [guess]
SURFACE_POINTS = 6  # about a place [guess]
PATIENCE = 10  # touches, until surfaces are let go [surfaces]
POINT = 1e-6  # m; radius of what stands for a point [numeric]

# Where on the arm a touch was (``localization``)
LATER = 0.008  # s; after the alarm: the observer has caught up, the arm has not yet bounced [guess]
LEAST_LATER, MOST_LATER = (
    0.016,
    0.05,
)  # s; with gears that give: as long as the rise to the alarm took [guess]
ONE_PLACE = 0.04  # m; patches that are nearer to each other are one place, and an arm so near is at it [guess]
MOST_PLACES, LEAST_PLACE = 4, 0.05  # places of a touch, and weight of one [guess]
FREE_ROWS, FREE_TIME = (
    8,
    0.05,
)  # rows, s; of free motion before a touch that tell what the model leaves [guess]
FREE_POSES, FREE_APART = (
    24,
    0.02,
)  # 1, rad; free poses before the touch that count, and between two [guess]
NOISE_FLOOR, NOISE_SHARE, OFFSET_SHARE = (
    0.03,
    0.02,
    0.1,
)  # N·m, shares of the torque and of the offset [guess]
STANDING_SPEED = 0.01  # rad/s; a slower joint stands [guess]
UNSIGNED_TORQUE = 1.0  # N·m; a smaller torque has hardly a sign [guess]
LOOKS = 8  # at a touch, of which a particle filter makes its measurements [guess]
LESS_SURE = (1.0, 3.0, 10.0)  # times this noise, until some patch explains what is felt [guess]
INWARDS = 0.02  # weight of a patch that did not move outwards, beside 1 of the fastest [guess]
GEAR_FLOOR, GEAR_WHITE = (
    0.06,
    0.5,
)  # N·m, share of what is seen in free motion that a mean leaves [guess]
GEARS_OFF, GEAR_DOUBT = (
    2.0,
    0.3,
)  # factor by which gears may be off; share of what lies between that is noise [guess]
ROUGH_SHARE, ROUGH_FRICTION = (
    0.05,
    0.6,
)  # of surfaces that are believed to be rough, and friction of these [guess]

# Lines and curves (``lines``, ``step_checks``)
LARGEST_CUT, LEAST_CUT, CUT_SHARE = (
    0.3,
    0.01,
    0.45,
)  # rad, rad, 1; off each of two lines, by a blend [guess]
LOOKS_PER_CELL, LOOKS_ON_BLEND = (
    4,
    9,
)  # places at which the cells of a line and of a blend are looked up [guess]
PACE = 0.85  # of the wanted speed, with all joints under way [straight]
ACCELERATION, RAMP = 0.7, 0.1  # rad/s², s; of a joint at most, and in which it builds up [guess]
SURFACE_SPEED = 1.15  # of a point of the surface, beside the ends of the links' axes [guess]
SPEED_SAMPLES, SPEED_ROUNDS = (
    20,
    6,
)  # of a segment, at which its speed is looked at, and how often it is mended [guess]
STRAIGHT_COSINE = 1.0 - 1e-6  # between two steps that are one line [numeric]
SHORTEST = 0.02  # s; of a segment [guess]
LOOK_BACK = 0.02  # s; between two looks for where the arm was before a touch [numeric]
LINE_GRID, LINE_PARTS, BLEND_PARTS = (
    0.1,
    8,
    16,
)  # rad; interval on a line, least number there, and on a blend [numeric]
BLEND_LENGTH = 2.5  # path length of a blend beside what it cuts off each line [numeric]
NUDGE = 1e-4  # rad; for the speed of points [numeric]
SWEPT_APART, SWEPT_TIME = (
    0.04,
    0.01,
)  # rad, s; between two poses at which the arm was free, and between looks for them [guess]

# Touches and retreats (``learning``, ``navigator``)
ON_STEP = 0.02  # rad; as near to the line of a step, or as far inside a part of it, a touch is one on it [guess]
MOST_TOUCHED = 3  # retreats in a row, before the arm goes further back [guess]
BACK = 0.04  # m; that the arm goes back from a touch on a straight line [guess]
LEAVE = (
    0.1  # rad; along the felt torque, where the arm is touched before it has been anywhere [guess]
)

# Goals, the tool's line, and a finer map (``grid``, ``lines``, ``arm_map``)
ROTATIONS = 64  # of the tool, that are tried for a position; or starts of a numeric search [guess]
LINE_STEP, LINE_OFF, LINE_JUMP = (
    0.01,
    0.01,
    0.15,
)  # m, m, rad; along the tool's line, off it, of a joint [guess]
LINE_TOUCHES = 5  # touches with places, after which the tool's line is let go [guess]
SURELY = 0.9  # certainty that is risked at most before the map is made finer [guess]
AROUND = 1  # cells; beside that of the goal which are split [guess]
MOST_CELLS = 12_000_000  # of a finer map: more take too long to plan over [timed]

# An early no (``separation``)
RIGHT, SPREAD = (
    0.9,
    0.7,
)  # probability that a touch was at its only place; at one of several [boxes]
APART = 0.1  # rad; between the configurations of two touches that are independent [boxes]
COUNTED_WEIGHT = (
    0.85  # of what is in the arm of a touch that counts: of others, several err alike [boxes]
)
INSIDE = 0.015  # m; as deep in the arm at its goal lies what settles that it does not fit [probes]
MOST_SETS = 3_000  # sets of places that are compared with each other [timed]

# Probes (``probes``)
PROBES_FROM = 4  # touches with places, before the first one [probes]
PROBES_IN_VAIN = 6  # that met nothing, after which none is made [probes]
PROBES_BESIDE = 8  # that were touched beside the arm at its goal, after which none is made [probes]
PROBES_KEPT_OFF = 2  # that were touched on their way, after which none is made while the path is not doubted [guess]
PROBES_APART = 0.5236  # rad; between the directions of two that hit [probes]
TILT, TILTS = (
    0.6,
    6,
)  # rad, 1; against the normal of what was felt, and directions about it [probes]
FARTHEST, ACROSS, BENT = (
    0.5,
    0.03,
    0.1,
)  # m, m, 1; from a place aside a probe may go, off its plane there, and more of that aside [probes]
NEARBY = (
    0.35  # m; as near a surface must be, where the way is not doubted and none was hit [probes]
)
UNSURE, TILTED, ASKEW = (
    0.2,
    0.05,
    0.1,
)  # m; as much further is a place of no weight, a tilted line, and one across the arm at its goal [probes]
PROBE_LENGTH, BEYOND = 0.1, 0.03  # m; of its line, and of it behind the point [probes]
OFF_LINE = (
    0.02,
    0.2,
)  # m, rad; the tool is at most so far off its line where the line is touched [probes]
ROOM = 0.08  # m; from what was felt, where a probe sets out [probes]
PARTS_OF_AXIS, PLANE_REACH = (
    8,
    0.3,
)  # 1, m; points of a link's axis that are to be before a plane, and how far that is believed to go on [probes]
TOOL_FIRST = (
    0.005  # m; so far the tool is before the rest of the arm where it meets a plane [probes]
)
PROBE_TURNS = 8  # of the tool about the line, that are tried [probes]
PROBE_POSES = 2  # whose ways are looked for, of one line [timed]
PROBE_TRIES = 24  # lines, until an ordinary path is driven [timed]
PROBE_RISKS = (
    0.0,
    0.7,
    0.95,
)  # certainties against which the way to a line may lead, the least that will do [boxes]
AXIS_LINK, AXIS_STEP = 3, 0.03  # first link on whose axis points lie; m between these [boxes]
