"""Random samples of a sweep: the same for the same seed, and the first ones the same for more of them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from hopfield_nav.sweep_values import Draw


def draw_samples(draws: Mapping[str, Draw], samples: int, seed: int) -> dict[str, np.ndarray]:
    """For each key ``samples`` numbers; all ``sobol`` keys share one scrambled Sobol sequence.

    A ``uniform`` or ``normal`` key has a generator of its own, so another key changes nothing for it.
    """
    sobol = [key for key, draw in draws.items() if draw.kind == "sobol"]
    points = _sobol_points(len(sobol), samples, seed) if sobol else np.zeros((samples, 0))
    columns = {key: points[:, i] for i, key in enumerate(sobol)}
    return {
        key: draw.a + (draw.b - draw.a) * columns[key] if key in columns else _draw(key, draw, samples, seed)
        for key, draw in draws.items()
    }


def _draw(key: str, draw: Draw, samples: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng([seed, *key.encode()])
    method = generator.normal if draw.kind == "normal" else generator.uniform
    return method(draw.a, draw.b, samples)


def _sobol_points(dimensions: int, samples: int, seed: int) -> np.ndarray:
    """The first points of a scrambled Sobol sequence [0 … 1]: (samples, dimensions)."""
    from scipy.stats import qmc

    new = "rng" in inspect.signature(qmc.Sobol.__init__).parameters  # the name changed in SciPy 1.15
    generator: dict[str, Any] = {"rng" if new else "seed": np.random.default_rng(seed)}
    sequence = qmc.Sobol(dimensions, scramble=True, **generator)
    return sequence.random_base2((samples - 1).bit_length())[:samples]
