"""A sweep in one call: ``sweep("ragazzon2012", vary={"detection.threshold": [6, 12]})``."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray

    from hopfield_nav.world import World

_FEW = 20  # runs that are not worth the start of a pool


def sweep(
    world: World | str | Path,
    vary: Mapping[str, Any] | None = None,
    zip: Sequence[Mapping[str, Any]] | None = None,
    random: Mapping[str, Any] | None = None,
    samples: int | None = None,
    repeats: int = 1,
    seed: int = 0,
    set: Mapping[str, Any] | None = None,
    workers: int | None = None,
    folder: str | Path | None = None,
) -> xarray.Dataset:
    """Run a world many times with changed values and return one labelled table.

    Args:
        world: from ``load_world``, or its name or path.
        vary: for each key of the world its values: a list, ``{"linear": [first, last, count]}``,
            ``{"log": …}``, or ``{"scale": …}`` for factors; several keys form a grid.
        zip: groups of keys whose values go together.
        random: for each key what it is drawn from: ``{"uniform": [low, high]}``, ``{"normal": …}``,
            ``{"sobol": …}``.
        samples: how often these are drawn.
        repeats: runs of every setting, with seeds ``seed``, ``seed + 1``, …
        seed: of the first repeat.
        set: changes that hold for every run.
        workers: processes; 0: none but this; default as many as cores, none for a few runs. A script
            that uses processes needs ``if __name__ == "__main__":`` around what it does.
        folder: where the results are kept; default nowhere.

    Returns:
        The quantities over the swept parameters and the repeats (over runs, for random samples).

    Raises:
        BadInput: a key or a value that the world cannot have.
    """
    from hopfield_nav.sweep_file import make_sweep
    from hopfield_nav.sweep_run import execute
    from hopfield_nav.sweep_table import dataset, read_rows

    made = make_sweep(
        world, vary=vary, zip=zip or (), random=random, samples=samples, repeats=repeats, seed=seed, set=set
    )
    if workers is None and made.count <= _FEW:
        workers = 0
    with tempfile.TemporaryDirectory() as nowhere:
        place = Path(nowhere) / "sweep" if folder is None else Path(folder)
        return dataset(made, read_rows(execute(made, place, workers)))
