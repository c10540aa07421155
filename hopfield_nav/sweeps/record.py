"""A sweep as plain data: written out for its results' folder, and its fingerprint.

``describe_key`` gives unit and meaning of a key of the world, from the units that the schema's fields and the
methods' parameters carry.
"""

import copy
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from hopfield_nav import world as worlds
from hopfield_nav.sweeps.axes import Axis
from hopfield_nav.sweeps.base import Base
from hopfield_nav.sweeps.sections import SweepFile


def resolved(data: dict[str, Any], base: Base, folder: Path | None) -> str:
    """The sweep as YAML, with the base world and the fixed changes in it; paths relative to ``folder``."""
    data = copy.deepcopy({key: value for key, value in data.items() if key != "set"})
    data["world"] = copy.deepcopy(base.data)
    if folder is not None:
        worlds.relative_to(data["world"], base.folder, folder)
        if data.get("measures"):
            data["measures"] = worlds.moved_value(("detection", "measure"), data["measures"], base.folder, folder)
        for group in [data.get("vary"), *(data.get("zip") or ())]:
            for name, values in (group or {}).items():
                if isinstance(values, list):
                    group[name] = [worlds.moved_value(worlds.split_key(name), v, base.folder, folder) for v in values]
    return worlds.yaml_text(data)


def fingerprint(file: SweepFile, base: Base, grid: Iterable[Axis]) -> str:
    """SHA-256 over world, values, seeds and quantities; files that they name count by their content."""
    digest = hashlib.sha256()
    world = {key: value for key, value in base.data.items() if key not in ("description", "seed")}
    fixed: list[Any] = [file.repeats, file.seed, list(file.columns), file.time_limit_per_run]
    fixed += [file.until.touches, content_of(file.measures, base.folder), file.patience]
    digest.update(_text([content_of(world, base.folder), fixed]))
    for axis in grid:
        for column in axis:
            values = column.values
            if isinstance(values, np.ndarray):
                digest.update(_text([column.name, "drawn"]) + values.astype("<f8").tobytes())
            else:
                digest.update(_text([column.name, content_of(values, base.folder)]))
        digest.update(b"|")
    return digest.hexdigest()


def _text(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def content_of(value: Any, folder: Path) -> Any:
    """The value with the path of every file in it replaced by a digest of the file."""
    if isinstance(value, dict):
        return {key: content_of(v, folder) for key, v in value.items()}
    if isinstance(value, list):
        return [content_of(v, folder) for v in value]
    if isinstance(value, str) and worlds.is_path(value):
        name, _, attribute = value.partition(".py:")
        path = folder / (f"{name}.py" if attribute else value)
        if path.is_file():
            return [hashlib.sha256(path.read_bytes()).hexdigest(), attribute]
    return value


def world_data(world: worlds.World, folder: Path) -> dict[str, Any]:
    """A world as plain data whose paths are relative to ``folder``."""
    data = world.model_dump(mode="json")
    worlds.relative_to(data, world.folder, folder)
    if data["controller"]["period"] == data["plant"]["step"]:
        del data["controller"]["period"]  # it follows the step, also where the step is swept
    return data


def describe_key(world: worlds.World, key: worlds.Key) -> tuple[str, str]:
    """Unit ("1" where there is none) and long name of a key of the world."""
    words = " ".join(str(part) for part in key).replace("_", " ")
    kinds = {
        "controller": (("controller", world.controller.law),),
        "detection": (("estimator", world.detection.estimator), ("detector", world.detection.measure)),
    }
    methods = (world.trust.find(kind, name, world.folder) for kind, name in kinds.get(str(key[0]), ()))
    parameter = worlds.own_parameters(methods).get(".".join(map(str, key[1:2])))
    if parameter is not None:
        return parameter.unit, parameter.description or words
    section = worlds.section_model(key[:-1] if isinstance(key[-1], str) else key[:-2], worlds.World)
    name = key[-1] if isinstance(key[-1], str) else key[-2]
    field = worlds.fields_of(section).get(str(name)) if section else None
    return (worlds.unit_of(field) if field else None) or "1", words
