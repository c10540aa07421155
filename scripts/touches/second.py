"""What is met on the way back: how soon a second obstacle is felt while the arm retreats from the first."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hopfield_nav import load_world
from hopfield_nav.plugin import load_from_file

SOON = 0.03  # [s] within which it is to be felt
_delay = load_from_file(
    "setup", "second.py:delay", Path(__file__).resolve().parents[2] / "worlds" / "benches"
)


def delay_of_second(generator: np.random.Generator, change: list[str]) -> float:
    """From the touch of an obstacle that is put behind a retreating tool to the alarm [s].

    Args:
        generator: of the first obstacle's place, and of the second's beside the retreat.
        change: of the world.

    Returns:
        Infinite where no alarm came within 0.5 s of the touch; NaN where nothing was touched.
    """
    found = _delay(load_world("empty", change), generator)
    return np.nan if found is None else float(found)
