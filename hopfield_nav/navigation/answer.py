"""What follows a touch: how an alarm becomes the next spline, from top to bottom.

A touch teaches the map. The arm goes back to a cell, and ``lead`` finds the motion from there to
the goal: a path over the cells, the poses of the tool, the joints, the spline. Values in, a value
out: map and notes change, and nothing else; whoever asks lets the arm make the motion.

``after_touch`` and ``after_rest`` are for a map of facts and beliefs, where a ``Response`` may
replace a part; ``after_mark`` is the answer of the documents (ragazzon2012 chapter 6, appendix C).
Everywhere ``motion`` is the one that the arm makes until now, ``map`` what is known and believed,
and ``means`` what a run plans with.
"""

from typing import NamedTuple

import numpy as np

from hopfield_nav.loop import evaluate, quintic_trajectory
from hopfield_nav.navigation.map import Cell, ToolMap
from hopfield_nav.navigation.marks import (
    MarkedMap,
    cell_to_back_off_to,
    cell_to_mark,
    contact_estimate,
)
from hopfield_nav.navigation.motion import (
    Detection,
    FirstSegment,
    Grade,
    Means,
    MotionPhase,
    PlannedMotion,
    Reference,
    Segment,
    at_rest,
    cell_at,
    joints_over,
    no_cells,
    no_motion,
    passed_cells_and_steps,
    path_of_tool,
    seconds_between,
    spline_through,
    tool_at,
    tool_poses,
    touched_segment,
    trajectory_through,
)
from hopfield_nav.navigation.planners import why_no_path_past_marks
from hopfield_nav.navigation.responses import (
    SLOWER,
    Response,
    ToolTouch,
    cell_to_go_back_to,
    is_glancing,
    learn_of_touch,
    segment_under_way,
)


class Answer(NamedTuple):
    """What follows a touch."""

    cell: Cell  # that was marked, or is believed to be occupied
    motion: PlannedMotion  # the next one; without a trajectory it is the end of the run
    segment: Segment | None = None  # that was touched, where that is asked


def after_touch(
    alarm: Detection, motion: PlannedMotion, map: ToolMap, means: Means, response: Response
) -> Answer:
    """Learn from a touch; then past it, where it only glanced, or back and on from there."""
    segment = touched_segment(map.grid, means.arm, motion, alarm)
    touch = ToolTouch(reference_at(alarm.time, motion), segment, alarm.force)
    glancing = means.world.detection.graze == "pass" and is_glancing(touch, motion, means.arm)

    map.beliefs.age(alarm.time)
    confirm_touch_before(alarm.level_at_retreat, map, means)
    if motion.retreats and segment.number == 0:
        map.beliefs.touch_behind()
    learn_of_passage(segment.number, motion, map, response)
    cell = learn_of_touch(touch, glancing, motion, map)
    map.show_beliefs()
    if map.goal is None:
        return Answer(cell, motion, segment)

    if glancing:
        past = past_touch(touch, motion, map, means, response)
        if past is not None:
            return Answer(cell, past, segment)
    start = cell_to_go_back_to(segment, motion, map)
    onward = response.after_touch(start, touch, motion, map, means)
    if onward is None:
        onward = go_on(start, touch.begin, motion, map, means)
    return Answer(cell, onward._replace(first_segment=FirstSegment.RETREAT), segment)


def past_touch(
    touch: ToolTouch, motion: PlannedMotion, map: ToolMap, means: Means, response: Response
) -> PlannedMotion | None:
    """Slowly on to the end of the present segment, and from there as is now believed to be best.

    None where that end is no centre of a free cell, or nothing leads on from it.
    """
    begin_of_segment, end_of_segment = segment_under_way(motion, touch.begin.time)
    end = cell_at(map.grid, end_of_segment)
    if end is None or map.obstacles()[end]:
        return None
    onward = response.past_touch(end, touch, motion, map, means)
    if onward is None:
        onward = lead(end, touch.begin, motion, map, means, SLOWER)
    if onward.trajectory is None or onward.places is None:
        return None
    places = np.vstack([begin_of_segment, onward.places[1:]])
    return onward._replace(places=places, first_segment=FirstSegment.REST)


def go_on(
    start: Cell, begin: Reference, motion: PlannedMotion, map: ToolMap, means: Means
) -> PlannedMotion:
    """Over the centre of a cell and on to the goal.

    Where there is no way, the arm goes back once before it gives up, and sees whether the last
    touch was a true stop.
    """
    onward = lead(start, begin, motion, map, means)
    is_confirmed = motion.needs_decision and not map.beliefs.unconfirmed
    if onward.trajectory is not None or is_confirmed:
        return onward
    back = back_to(start, begin, motion, map, means)
    return onward if back is None else back


def lead(
    start: Cell,
    begin: Reference,
    motion: PlannedMotion,
    map: ToolMap,
    means: Means,
    slower: float = 1.0,
) -> PlannedMotion:
    """From ``begin`` over the centre of a cell to the goal: a path, its joints, the spline.

    A cell that the arm turns out not to reach is excluded, and a new path found. ``motion`` is the
    one that the arm makes until ``begin``; the first segment takes ``slower`` times as long as
    usual. Without a way it is the end of the run.
    """
    may_cut_corner = not begin.qd.any() and not motion.reacts
    while True:
        route = means.paths.find(start, map)
        means.notes.note(begin.time, route.by, route.plan.cells, route.landscape)
        if route.plan.cells is None:
            why, grade = means.paths.why_none(start, route.plan, map)
            return no_motion(start, map.rank, why + _out_of_reach(map), grade)
        tool = tool_at(means.arm, begin.q)
        path = path_of_tool(route, tool, may_cut_corner, map, means.world)
        joints = joints_over(path.poses, begin.q, motion, map, means)
        if not joints.reason:
            return spline_through(start, path, joints, begin, map, means, slower)
        place = path.poses[joints.reached, :3, 3]
        why = f"cell {map.grid.cell_of(place)}: {joints.reason}"
        if not means.explores_reach:
            return PlannedMotion(start, path.cells, None, "unreachable", why)
        map.why_unreachable = why
        if not map.exclude(place, path.cells, start):
            return no_motion(start, map.rank, why, Grade.EXCLUDED)


def back_to(
    cell: Cell, begin: Reference, motion: PlannedMotion, map: ToolMap, means: Means
) -> PlannedMotion | None:
    """Straight back to the centre of a cell, where it is decided how to go on.

    None where the arm does not reach it.
    """
    cells = np.array([cell])
    poses = tool_poses(cells, map, means.world)
    joints = joints_over(poses, begin.q, motion, map, means)
    if joints.reason:
        return None
    places = np.vstack([tool_at(means.arm, begin.q), poses[:, :3, 3]])
    times = seconds_between(places, False, map, means.world)
    trajectory = trajectory_through(joints.q, times, begin, means)
    return PlannedMotion(cell, cells, trajectory, places=places, phase=MotionPhase.RETREAT)


def after_rest(
    begin: Reference,
    level_at_retreat: float,
    motion: PlannedMotion,
    map: ToolMap,
    means: Means,
    response: Response,
) -> PlannedMotion:
    """The motion after a retreat, a reaction or waypoints: on from the cell that was chosen before.

    After a reaction it is not known yet how far the touch is confirmed.
    """
    map.beliefs.age(begin.time)
    if not motion.reacts:
        confirm_touch_before(level_at_retreat, map, means)
    if motion.phase is MotionPhase.EXPLORE:
        learn_of_arrival(motion, map, response)
    onward = response.after_rest(begin, motion, map, means)
    if onward is None:
        onward = go_on(motion.start, begin, motion, map, means)
    map.show_beliefs()
    return onward


def after_mark(alarm: Detection, motion: PlannedMotion, map: MarkedMap, means: Means) -> Answer:
    """Mark the cell of a touch, back off from it, and on from there, as in the documents.

    Source: ragazzon2012 C.2.2.
    """
    begin = reference_at(alarm.time, motion)
    contact = contact_estimate(alarm, begin, motion, means.arm)
    marked = cell_to_mark(map.grid, contact, map.goal_cell, means.world.detection.mark)
    map.grid.mark(marked)
    if map.goal is None:
        return Answer(marked, motion)
    map.pass_path(contact.path, contact.position)
    start = cell_to_back_off_to(marked, contact, map, means.world)
    if start is None:
        why, grade = why_no_path_past_marks(marked, map)
        return Answer(marked, no_motion(marked, map.rank, why, grade))
    return Answer(marked, lead(start, begin, motion, map, means))


def first_motion(cell: Cell, q: np.ndarray, map: ToolMap, means: Means) -> PlannedMotion:
    """The motion from joint angles (n,) [rad], with the tool over a cell.

    At rest without a goal.
    """
    if map.goal is None:
        sample_time = means.world.trajectory.sample_time
        still = quintic_trajectory(q[None], 1.0, sample_time=sample_time)
        return PlannedMotion(cell, np.array([cell]), still)
    start = map.cell_beside(tool_at(means.arm, q), cell)
    if start is None:
        why = "known obstacles stand between the tool and every free cell around it"
        return no_motion(cell, map.rank, why, Grade.FACTS)
    none_before = PlannedMotion(cell, no_cells(map.rank), None)
    return lead(start, at_rest(0.0, q), none_before, map, means)


def reference_at(time: float, motion: PlannedMotion) -> Reference:
    """Where the reference of a motion is at a time [s], and how it moves."""
    if motion.trajectory is None:
        raise RuntimeError("a run that has ended cannot collide")
    return Reference(time, *evaluate(motion.trajectory, time))


def learn_of_passage(until: int, motion: PlannedMotion, map: ToolMap, response: Response) -> None:
    """The segments of a motion before number ``until`` were driven without a touch."""
    response.after_passage(until, motion)
    cells, steps = passed_cells_and_steps(map.grid, motion, until)
    map.beliefs.passed(cells, steps)


def learn_of_arrival(motion: PlannedMotion, map: ToolMap, response: Response) -> None:
    """All of a motion was driven without a touch."""
    learn_of_passage(len(motion.cells) + 1, motion, map, response)
    map.show_beliefs()


def confirm_touch_before(level_at_retreat: float, map: ToolMap, means: Means) -> None:
    """Whether what was touched before was still felt when the arm went back.

    The alarm level then tells.
    """
    map.beliefs.confirm(level_at_retreat >= means.world.detection.armed_below)


def _out_of_reach(map: ToolMap) -> str:
    """What to add to a reason: how many free cells the arm cannot reach."""
    count = int((map.unreachable & ~map.grid.blocked).sum())
    if not count:
        return ""
    last = f", the last: {map.why_unreachable}" if map.why_unreachable else ""
    return f"; {count} free cells cannot be reached by the arm{last}"
