"""Compiled code, ready in this process before the first job of a sweep."""

from __future__ import annotations

import contextlib
from functools import cache
from typing import TYPE_CHECKING

from dynamics.compiled import filling_cache

if TYPE_CHECKING:
    from hopfield_nav.sweep_file import Sweep

_warm: set[str] = set()
_KNOWN = """
format: 1
contact: {bodies: arm}
known: [{floor: {height: -0.2}}]
goal: {cell: [17, 6]}
"""  # the first plan asks for distances of map and arm to what is known


def warm_up(sweep: Sweep) -> None:
    """Compile, or load, everything that the sweep's runs may call; once a process.

    Processes of one machine wait for each other: Numba's cache is filled by one at a time.
    """
    if sweep.digest in _warm:
        return
    with filling_cache():
        _compile_all()
        _start_one(sweep)
    _warm.add(sweep.digest)


@cache
def _compile_all() -> None:
    """The loop, every built-in method, both networks, planning among known obstacles."""
    from hopfield_nav.closed_loop import compiled_loop
    from hopfield_nav.planning import NETWORKS
    from hopfield_nav.plugin import KINDS, compiled, find_method, method_names
    from hopfield_nav.simulation import Simulation
    from hopfield_nav.warm_up import warm_up_replan
    from hopfield_nav.world import parse_world
    from hopfield_nav.world_sections import Planner

    compiled_loop()
    for kind in KINDS:
        for name in method_names(kind):
            compiled(find_method(kind, name))
    for network in NETWORKS:
        warm_up_replan(Planner(network=network))
    Simulation(parse_world(_KNOWN))


def _start_one(sweep: Sweep) -> None:
    """The first job, for a moment: it meets the arrays of this very world."""
    from hopfield_nav.simulation import Simulation

    job = sweep.job(0)
    with contextlib.suppress(Exception):  # its row will say what is wrong
        Simulation(sweep.world_for(job), seed=job.seed).step(0.1)
