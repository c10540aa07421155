"""Compiling before it is asked for, in several processes that fill one cache."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext, suppress

from dynamics import BadInput
from hopfield_nav.world import World

_HERE = "from hopfield_nav.experiment.compiling import compile_part as part"
_KNOWN = """
format: 1
contact: {bodies: arm}
known: [{floor: {height: -0.2}}]
goal: {cell: [17, 6]}
"""  # the first plan asks for distances of map and arm to what is known


# What the runs of a sweep may call. The first ones have next to nothing in common; the last one
# needs them.
PARTS = ("the closed loop", "both networks", "laws, estimators, detectors", "known obstacles")


def compile_part(name: str) -> None:
    """Compile one of ``PARTS``, or what the beginning of a world calls of ours."""
    from hopfield_nav import loop, navigation, planning, plugin
    from hopfield_nav import world as worlds
    from hopfield_nav.experiment.simulation import Simulation

    if name == "the closed loop":
        loop.compiled_loop()
    elif name == "both networks":
        for network in planning.NETWORKS:
            navigation.warm_up_replan(worlds.PlannerSection(network=network))
    elif name == "laws, estimators, detectors":
        for kind in plugin.KINDS:
            for name, method in plugin.loadable_methods(kind).items():
                # whoever names one of others that cannot be compiled is told then
                with nullcontext() if plugin.is_ours(kind, name) else suppress(BadInput):
                    plugin.compiled(method)
    elif name == "known obstacles":
        Simulation(worlds.parse_world(_KNOWN))
    elif "plan" in (world := worlds.load_world(name)).model_fields_set:
        plugin.provided("plan_world", "plan")(world)
    else:
        Simulation(world).step(0.1)


def compile_parts(names: Sequence[str], processes: int) -> Iterator[str]:
    """Compile parts in processes of their own; gives the name of each that is done.

    Raises ``BadInput``: one of them failed, with the last line that it said.
    """
    with ThreadPoolExecutor(processes) as pool:
        started = {pool.submit(_in_process, name): name for name in names}
        for done in as_completed(started):
            if done.result():
                raise BadInput(f"could not be compiled: {done.result()}", where=started[done])
            yield started[done]


def _command(name: str) -> list[str]:
    """Python that compiles a part.

    It imports from where this process does, not from the current folder.
    """
    return [
        sys.executable,
        "-c",
        f"import sys\nsys.path[:] = {sys.path!r}\n{_HERE}\npart({name!r})",
    ]


def _in_process(name: str) -> str:
    """Empty, or the last line of what went wrong."""
    done = subprocess.run(_command(name), capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["stopped"])[-1]


def compile_in_parallel(world: World) -> None:
    """Compile what a run of this world calls.

    The loop in another process, everything else in this one. What cannot be compiled there is
    compiled here, when the run calls it.
    """
    other = subprocess.Popen(
        _command("the closed loop"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _compile_for(world)
        other.wait()
    finally:
        other.terminate()
        other.wait()


def _compile_for(world: World) -> None:
    """Methods, network and kinematics of a run."""
    from hopfield_nav.build import find_methods
    from hopfield_nav.navigation import space_of
    from hopfield_nav.plugin import compiled

    for method in find_methods(world):
        compiled(method)
    space_of(world).prepare(world)
