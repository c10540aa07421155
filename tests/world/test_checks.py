"""What must fit together between the sections of a world, asked by what methods declare."""

from __future__ import annotations

import pytest
from refusals import refused

from hopfield_nav import load_world

SPRINGS = """\
from hopfield_nav.plugin import ROTORS, Method

METHOD = Method("engine", "springs", lambda world, plant, start: None, needs={needs})
"""
WORLD = "format: 1\nplant: {engine: springs.py:METHOD, stiffness: 1.0e+4, temperature: 20}\n"


def world_with(folder, needs):
    (folder / "springs.py").write_text(SPRINGS.format(needs=needs), encoding="utf-8")
    (folder / "mine.yaml").write_text(WORLD, encoding="utf-8")
    return load_world(folder / "mine.yaml", allow_code=True)


def test_an_engine_of_ones_own_with_rotors_has_elastic_joints(tmp_path):
    plant = world_with(tmp_path, "ROTORS").plant
    assert plant.stiffness == pytest.approx(1e4)
    assert plant.temperature == pytest.approx(20.0)


@pytest.mark.needs("engines")
def test_an_engine_without_rotors_has_none_and_is_told_which_has(tmp_path):
    with refused("plant.stiffness: only elastic joints have it.*null, or plant.engine: flexible"):
        world_with(tmp_path, "''")


def test_where_no_engine_has_rotors_none_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("hopfield_nav.plugin.loadable_methods", lambda kind: {})
    with refused("plant.stiffness: only elastic joints have it; found 10000.0; allowed: null$"):
        world_with(tmp_path, "''")
