"""The document's four examples by their names."""

from __future__ import annotations

import numpy as np
import pytest
from nowoczyn2023 import examples
from nowoczyn2023.collision_library import load_library

from hopfield_nav import load_world
from hopfield_nav.build import build_arm


def test_the_obstacle_space_by_name(tmp_path, capsys):
    examples.main("calculate_obstacle_space", out=tmp_path / "a")
    path = capsys.readouterr().out.strip()
    library = load_library(path, build_arm(load_world("cell")))
    assert library.collides(np.array([0.0, 0.0, 3.1, 0.0, 0.0, 0.0]))


@pytest.mark.parametrize("name", list(examples.EXAMPLES)[1:])
def test_an_example_draws_its_picture(name, tmp_path, capsys):
    examples.main(name, out=tmp_path / "a")
    assert (
        capsys.readouterr().out.split()
        == [str(path) for path in sorted((tmp_path / "a").iterdir())]
        != []
    )


def test_an_example_without_a_plan_says_so(tmp_path):
    world = load_world("cell", ["plan.goal.pose.position=[2, 0, 0.3]"])
    (tmp_path / "far.yaml").write_text(world.to_yaml())
    with pytest.raises(SystemExit, match=r"^no plan; direct: the goal is out of reach"):
        examples.main("direct_path_example", str(tmp_path / "far.yaml"), tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_an_unknown_example_is_refused():
    with pytest.raises(SystemExit, match="Did you mean 'direct_path_example'"):
        examples.main("direct_path")
