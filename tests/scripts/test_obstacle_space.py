"""The study of the document's library: its rows for the ledger, its planes, its picture."""

from __future__ import annotations

import numpy as np
from nowoczyn2023 import obstacle_space

from hopfield_nav.extensions.clearance import collides


def test_errors_are_those_kept():
    """The first poses again: their share is that of all, as far as so few can tell."""
    count, kept = (
        60_000,
        np.array(obstacle_space.wrong_poses(obstacle_space.POSES)) / obstacle_space.POSES,
    )
    for wrong, share in zip(obstacle_space.wrong_poses.__wrapped__(count), kept, strict=True):
        assert abs(wrong / count - share) < 5 * np.sqrt(share * (1 - share) / count)


def test_a_plane_shows_cells_of_ten_degrees():
    """In each cell the library says one thing: what the exact check says of its node."""
    # the other joints at nodes
    plane = obstacle_space.PLANES[1]._replace(others=(0, -120, 150, 0, 0, 0))
    exact, said = obstacle_space.sampled(plane)
    angle = np.arange(-179.5, 180.0)
    cell = np.round(angle / 10).astype(int) % 36
    for i in range(36):
        for j in range(36):
            here = np.ix_(cell == i, cell == j)
            assert len(set(said[here].ravel())) == 1
            q = np.radians([0, -120, 150, 10 * j, 10 * i, 0])
            assert said[here].flat[0] == collides(
                obstacle_space.library().arm, obstacle_space.library().scene, q
            )
    assert 0 < (exact != said).mean() < 0.1


def test_the_picture_is_drawn(tmp_path):
    (path,) = obstacle_space.draw(tmp_path)
    assert path.stat().st_size > 20_000
