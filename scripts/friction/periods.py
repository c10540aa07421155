"""What a slow control computer costs the tool: where its touches are placed, and how late they are felt."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from measured_part import table

from friction.conditions import FIRST, REAL, WRONG
from hopfield_nav import load_world
from hopfield_nav.experiment import Simulation

PERIODS = (0.001, 0.002, 0.008)  # [s]
GEARS = "plant.presliding=2e4"
MODELS = {"known": [], "wrong": WRONG}


def touches_of(seed: int, changes: list[str]) -> tuple[Any, list[float], list[float]]:
    """A run's summary, and of its first alarm on each contact the place's error [m] and the delay [s]."""
    simulation = Simulation(load_world("random_cylinders", [*changes, f"seed={seed}"]))
    learning: Any = simulation.navigator.learning  # type: ignore[union-attr]
    learn, places = learning.touch, {}

    def touch(segment: Any, *given: Any) -> Any:
        places[len(simulation.detections)] = segment.place
        return learn(segment, *given)

    learning.touch = touch
    run = simulation.run()
    time, tool = run.data.time.values, run.data.tool_position.values
    errors, delays, answered = [], [], set()
    for number, found in enumerate(simulation.detections):
        if np.isnan(found.touch_time) or found.touch_time in answered:
            continue
        answered.add(found.touch_time)
        delays.append(found.time - found.touch_time)
        if number in places:
            true = tool[min(int(np.searchsorted(time, found.touch_time - 1e-9)), len(time) - 1)]
            errors.append(float(np.linalg.norm(places[number] - true)))
    return run.summary, errors, delays


def periods_table(count: int) -> str:
    """By period and model: goals, alarms, and quantiles of places and delays over ``count`` worlds."""
    rows = []
    for period, (words, errors) in product(PERIODS, MODELS.items()):
        changes = [*REAL, GEARS, *errors, f"controller.period={period}"]
        found = [touches_of(FIRST + k, changes) for k in range(count)]
        summaries = [summary for summary, *_ in found]
        places, delays = (1e3 * np.concatenate([one[k] for one in found]) for k in (1, 2))
        rows.append(
            [
                f"{1e3 * period:g} ms, {words}",
                f"{sum(s['outcome'] == 'reached' for s in summaries)} of {count}",
                f"{len(delays)}",
                f"{sum(s['false_alarm_count'] for s in summaries)}",
                *(f"{np.median(v):.1f}, {np.quantile(v, 0.9):.1f}" for v in (places, delays)),
                f"{max(s['peak_contact_force_N'] for s in summaries):.0f}",
            ]
        )
        print(rows[-1], flush=True)
    head = [
        "period, model",
        "reached",
        "touches",
        "false alarms",
        "place [mm]",
        "delay [ms]",
        "peak force [N]",
    ]
    return table(head, rows)
