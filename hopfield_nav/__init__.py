"""A UR5 that cannot see, finding its way by touch with a Hopfield neural network."""

from importlib import import_module
from typing import Any

_HOME = {
    "Simulation": "simulation",
    "World": "world",
    "load_recording": "recording",
    "load_run": "run",
    "load_sweep": "sweep_file",
    "load_world": "world",
    "plan_path": "planning",
    "plan_world": "known_world.planned",
    "simulate": "simulation",
    "sweep": "sweeps",
}

__all__ = [
    "Simulation",
    "World",
    "load_recording",
    "load_run",
    "load_sweep",
    "load_world",
    "plan_path",
    "plan_world",
    "simulate",
    "sweep",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: the command line answers before NumPy is loaded."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"hopfield_nav.{_HOME[name]}"), name)
