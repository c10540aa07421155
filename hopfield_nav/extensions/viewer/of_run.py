"""A run as its page shows it.

The arm, its signals, and the map with cells, steps and path of every plan.
"""

from html import escape
from typing import Any

import numpy as np
from matplotlib.colors import to_hex

from dynamics import BadInput
from hopfield_nav.build import all_solids, build_arm, solids_of
from hopfield_nav.extensions.network import describe_run as describe_network
from hopfield_nav.extensions.network import has_plane, page_text
from hopfield_nav.extensions.viewer.arrays import (
    curve,
    frame_rows,
    joint_panel,
    packed,
    panel,
    whole,
)
from hopfield_nav.extensions.viewer.scene_parts import describe, first_touches, solid_part
from hopfield_nav.extensions.viewer.template import page_text as page_of
from hopfield_nav.figures import COLOURS, STEPS, solid
from hopfield_nav.figures.run import network_of
from hopfield_nav.navigation import space_of
from hopfield_nav.record import (
    SUMMARY,
    PlanRecord,
    Run,
    force_limits,
    force_norm,
    missed_contacts,
    report_level,
    summary_rows,
)


class RunView:
    """The page of a run for a notebook, which shows it; ``write_page`` writes it for a browser.

    Raises ``BadInput``: the run kept no signals.
    """

    def __init__(self, run: Run) -> None:
        self.description = describe_run(run)

    def _repr_html_(self) -> str:
        frame = 'style="width: 100%; height: 640px; border: 0"'
        return f'<iframe {frame} srcdoc="{escape(page_of(self.description))}"></iframe>'


def describe_run(run: Run, command: str = "") -> dict[str, Any]:
    """Everything that the page of a run shows, ready for JSON.

    ``command``, how to come back to it, is shown beside its name.

    Raises ``BadInput``: the run kept no signals.
    """
    data = run.data
    time, q = data.time.values, data.q.values
    good = np.isfinite(q).all(axis=1)
    if not good.any():
        raise BadInput(
            "no view without signals", where="record.signals", found="none", allowed="all"
        )
    events = events_of(run)
    rows = frame_rows(
        time, np.array([[e["time"], e["touch"]] for e in events], dtype=float).ravel()
    )
    rows = rows[good[rows]]
    tool, goal, contact = (
        data.tool_position.values[rows],
        run.world.goal_point,
        data.contact_point.values[rows],
    )
    touching = np.where(
        np.isfinite(contact), contact, tool
    )  # where the largest force acts; without contact the tool
    return describe(
        str(run.summary["world"]),
        f"{run.outcome.replace('_', ' ')}: {run.summary['reason']}",
        build_arm(run.world),
        time[rows],
        q[rows],
        tool,
        command=command,
        forces=[
            _force("true force", COLOURS.true, touching, data.force.values[rows]),
            _force("estimated force", COLOURS.felt, tool, data.force_estimate.values[rows]),
        ],
        solids=solid_parts(run),
        map=map_layers(run) if space_of(run.world).of_places else None,
        places=places_of(run),
        start=solid.start_point(run).tolist(),
        goal=None if goal is None else list(map(float, goal)),
        events=events,
        panels=panels_of(run, rows),
        results=[list(row) for row in summary_rows(run.summary, SUMMARY)],
        world=run.world.to_yaml(),
    )


def events_of(run: Run) -> list[dict[str, Any]]:
    """Collisions and glancing contacts as answered, missed contacts, reports without alarm.

    Time, touch [s], kind.
    """
    data = run.data
    kinds = np.where(run.passed_by, "graze", "collision")
    kinds = np.where(data.event_false_alarm.values > 0, "false alarm", kinds).tolist()
    answered = [
        {"time": float(t), "touch": None if np.isnan(touch) else float(touch), "kind": kind}
        for t, touch, kind in zip(
            data.event_time.values, data.touch_time.values, kinds, strict=True
        )
    ]
    missed = [
        {"time": e.start, "touch": e.start, "kind": "missed contact"} for e in missed_contacts(run)
    ]
    quiet = (
        run.passages[data.report_alarms.values == 0] if "report_alarms" in data else run.passages
    )
    reports = [{"time": float(begin), "touch": None, "kind": "report"} for begin, _ in quiet]
    return sorted(answered + missed + reports, key=lambda event: event["time"])


def solid_parts(run: Run) -> list[dict[str, Any]]:
    """Unknown obstacles, with the time of the first touch, then known ones."""
    unknown, data = solids_of(run.world.obstacles), run.data
    stands = run.standing_times[: len(unknown)]
    touched = first_touches(unknown, stands, data.time.values, data.contact_point.values)
    parts = [
        solid_part(one, False, *known)
        for one, *known in zip(unknown, touched, stands.tolist(), strict=True)
    ]
    return parts + [solid_part(one, True) for one in solids_of(run.world.known)]


def places_of(run: Run) -> list[dict[str, Any]]:
    """Where on the arm each touch may have been: time [s], point [m], weight.

    None without a joint map.
    """
    data = run.data
    if "felt_point" not in data:
        return []
    points, weights = data.felt_point.values, data.felt_weight.values
    return [
        {
            "time": float(data.event_time[k]),
            "point": points[k, i].tolist(),
            "weight": float(weights[k, i]),
        }
        for k, i in np.argwhere(np.isfinite(points).all(axis=2))
    ]


def panels_of(run: Run, rows: np.ndarray) -> list[dict[str, Any]]:
    """Force, joint error and alarm level over time."""
    data = run.data
    forces = [("estimated", COLOURS.felt, data.force_estimate), ("true", COLOURS.true, data.force)]
    return [
        panel(
            "force",
            "N",
            [curve(name, c, force_norm(f.values), rows) for name, c, f in forces],
            force_limits(run),
        ),
        joint_panel("joint error", "mrad", 1e3 * (data.q.values - data.q_ref.values), rows),
        panel(
            "alarm level",
            "of the threshold",
            [curve("level", COLOURS.felt, data.level.values, rows)],
            {"alarm": 1.0, **report_level(run)},
        ),
    ]


def _force(name: str, colour: str, at: np.ndarray, force: np.ndarray) -> dict[str, Any]:
    return {"name": name, "colour": colour, "at": packed(at), "force": packed(force)}


def map_layers(run: Run) -> dict[str, Any]:
    """What does not change, and every plan with what was known when it was made."""
    grid, plans = run.world.map, run.plans()
    end = float(run.data.time.values[-1])
    heights = [
        float(solid.level_height(run, k))
        for k in range(grid.shape[2] if solid.in_space(run) else 1)
    ]
    room, solids = solid.map_extent(run), all_solids(run.world)
    cuts = [
        [np.round(solid.slice_outline(one, z, room), 5).tolist() for one in solids] for z in heights
    ]
    excluded = solid.cell_classes(run, plans[0], path=False) == solid.EXCLUDED
    return {
        "origin": list(grid.origin),
        "spacing": grid.spacing,
        "shape": list(grid.shape),
        "levels": [{"z": z, "cuts": outlines} for z, outlines in zip(heights, cuts, strict=True)],
        "extent": room,
        "excluded": _cells(excluded),
        "alpha": solid.felt_alpha(run),
        "plans": [_plan(plan) for plan in [*plans, solid.final_plan(run)._replace(time=end)]],
        "ends": solid.room_ends(run).tolist(),
        "network": network_layer(run),
    }


def network_layer(run: Run) -> dict[str, Any] | None:
    """The depth ln σ/ln β of every plan's network, and the steps of the climb.

    None where the record has none. Both are −1 where no path leads to the goal; ``climb`` is None
    where the record does not say who is climbed. ``page`` is the page on which one can play with
    these networks, or None.
    """
    network = network_of(run)
    if network is None:
        return None
    depths = np.array([network.depth(k).ravel() for k in network.known])
    climbs = [network.steps_of_climb(k) for k in network.known]
    log_beta = None if network.beta is None else float(np.log(network.beta))
    return {
        "times": network.time[network.known].tolist(),
        "by": network.by[network.known].tolist(),
        "depth": packed(np.where(np.isfinite(depths), depths, -1.0)),
        "climb": packed(np.array(climbs)) if network.has_arrows else None,
        "log_beta": log_beta,
        "label": "ln σ/ln β" if network.sums else network.label,
        "colours": [to_hex(STEPS(s)) for s in np.linspace(0.0, 1.0, 64)],
        "page": page_text(describe_network(run)) if has_plane(run.world) else None,
    }


def _plan(plan: PlanRecord) -> dict[str, Any]:
    """One plan; its path may begin off the map, where the tool starts beside it."""
    cells = {"felt": _cells(plan.felt), "path": whole(plan.path), "steps": whole(plan.steps)}
    return {"time": plan.time, **cells, "certainty": packed(plan.certainty)}


def _cells(chosen: np.ndarray) -> dict[str, Any]:
    """Places of the chosen cells of a grid in its flat order."""
    return whole(np.flatnonzero(chosen))
