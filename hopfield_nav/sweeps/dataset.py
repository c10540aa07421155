"""The rows of a sweep as an ``xarray.Dataset`` with the swept parameters as its dimensions."""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hopfield_nav import world as worlds
from hopfield_nav.record import Quantity
from hopfield_nav.sweeps.axes import AxisColumn
from hopfield_nav.sweeps.deciding import choice_of
from hopfield_nav.sweeps.settings import over_runs, read_settings
from hopfield_nav.sweeps.sweep_file import Sweep

if TYPE_CHECKING:
    import xarray

_FAILS = "in what its setting falls short of the aim, or of the rule by which the best is chosen"
_ERROR = "why there is no result, where there is none"


def dataset(sweep: Sweep, rows: Iterable[Mapping[str, Any]]) -> "xarray.Dataset":
    """The labelled table of a sweep; runs that are missing have the outcome "" and NaN elsewhere.

    It has the quantities over the first column of every axis and ``repeat``, or over ``run`` where
    samples are random. What has no unit is text, every other variable float64.
    """
    import xarray

    grid = not sweep.file.random
    dims = (*(axis[0].name for axis in sweep.grid), "repeat") if grid else ("run",)
    shape = sweep.shape if grid else (sweep.count,)
    rows = list(rows)
    fails, chosen = _judged(sweep, rows) if sweep.compares else ({}, {})
    variables = {}
    for name, quantity in [*sweep.kept.items(), ("error", Quantity("error", None, _ERROR))]:
        values = over_runs(sweep, rows, name, "" if quantity.unit is None else np.nan)
        variables[name] = (dims, values.reshape(shape), about(quantity.long_name, quantity.unit))
    variables |= {
        name: (dims, values.reshape(shape), about(_FAILS, None)) for name, values in fails.items()
    }
    attributes = {
        "title": f"hopfield-nav sweep {sweep.name}",
        "description": sweep.file.description,
        "world": sweep.world.name,
        "settings": json.dumps(worlds.changed_settings(sweep.world)),
        "digest": sweep.digest,
        "Conventions": "CF-1.8",
    } | chosen
    return xarray.Dataset(variables, _coordinates(sweep, grid), attributes)


def _judged(
    sweep: Sweep, rows: list[Mapping[str, Any]]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """What the setting of each run fails in, and as attributes the aim and the first runs of base and best."""
    settings, layout = read_settings(sweep, rows)
    choice, _ = choice_of(sweep, settings, rows)
    first = {"base_run": layout.base, "best_run": choice.best}
    runs = {name: int(np.argmax(layout.of_run == k)) for name, k in first.items() if k is not None}
    aim = sweep.file.aim
    told = {} if aim is None else {"aim": json.dumps({"least": aim.least, "while": aim.meanwhile})}
    return {"fails": choice.fails[layout.of_run].astype(str)}, {**told, **runs}


def about(long_name: str, unit: str | None = "1") -> dict[str, str]:
    """The attributes of a variable; text has no unit."""
    return {**({} if unit is None else {"units": unit}), "long_name": long_name}


def _coordinates(sweep: Sweep, grid: bool) -> dict[str, tuple]:
    """Columns, repeats and seeds over their own axes of the grid, or over runs."""
    runs, (combination, repeat) = (
        np.arange(sweep.count),
        np.divmod(np.arange(sweep.count), sweep.file.repeats),
    )
    at: list[np.ndarray] = [*np.unravel_index(combination, sweep.shape[:-1])]
    dims = ["run"] * (len(at) + 1)
    if grid:
        *at, repeat = map(np.arange, sweep.shape)
        dims = [*(axis[0].name for axis in sweep.grid), "repeat"]
    coordinates: dict[str, tuple] = {} if grid else {"run": ("run", runs, about("run"))}
    for axis, dim, places in zip(sweep.grid, dims, at, strict=False):
        for column in axis:
            unit, words = describe_key(sweep.world, column.key)
            attributes = about(words, unit) if column.base is None else about(f"factor of {words}")
            coordinates[column.name] = (dim, _values(column, places), attributes)
    coordinates["repeat"] = (dims[-1], repeat, about("repeat"))
    coordinates["seed"] = (dims[-1], repeat + sweep.file.seed, about("seed of the run"))
    return coordinates


def describe_key(world: worlds.World, key: worlds.Key) -> tuple[str, str]:
    """Unit ("1" where there is none) and long name of a key of the world."""
    words = " ".join(str(part) for part in key).replace("_", " ")
    kinds = {
        "controller": (("controller", world.controller.law),),
        "detection": (
            ("estimator", world.detection.estimator),
            ("detector", world.detection.measure),
        ),
    }
    methods = (
        world.trust.find(kind, name, world.folder) for kind, name in kinds.get(str(key[0]), ())
    )
    parameter = worlds.own_parameters(methods).get(".".join(map(str, key[1:2])))
    if parameter is not None:
        return parameter.unit, parameter.description or words
    section = worlds.section_model(key[:-1] if isinstance(key[-1], str) else key[:-2], worlds.World)
    name = key[-1] if isinstance(key[-1], str) else key[-2]
    field = worlds.fields_of(section).get(str(name)) if section else None
    return (worlds.unit_of(field) if field else None) or "1", words


def _values(column: AxisColumn, at: np.ndarray) -> np.ndarray:
    """The values of a column: numbers and truth values as such, None among numbers as NaN, else text."""
    values = [column.value(i) for i in range(len(column.values))]
    kinds = {type(value) for value in values}
    if kinds == {bool} or (kinds == {int} and max(abs(v) for v in values) < 2**63):
        return np.array(values)[at]
    if kinds <= {int, float, type(None)} and kinds != {type(None)}:
        return np.array([np.nan if value is None else float(value) for value in values])[at]
    return np.array([value if isinstance(value, str) else json.dumps(value) for value in values])[
        at
    ]
