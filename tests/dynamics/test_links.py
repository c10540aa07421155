"""What lies inside a folder that the user named, and what must not be waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from refusals import refused

from dynamics.files import inside, remove_folder, require_regular


@pytest.fixture
def places(tmp_path):
    """A folder that was named, by a link; what is outside; and links into it."""
    (tmp_path / "disk" / "named" / "runs" / "1" / "below").mkdir(parents=True)
    (tmp_path / "outside" / "1").mkdir(parents=True)
    (tmp_path / "outside" / "1" / "precious").touch()
    (tmp_path / "named").symlink_to(tmp_path / "disk" / "named")
    return tmp_path


def test_a_folder_is_removed_below_a_named_link(places):
    named = places / "named"
    assert inside(named / "runs", named) == places / "disk" / "named" / "runs"
    (named / "runs" / "1" / "below" / "away").symlink_to(places / "outside")
    remove_folder(named / "runs" / "1", named)
    remove_folder(named / "runs" / "1", named)  # what is not there is fine
    assert list((named / "runs").iterdir()) == []
    assert (places / "outside" / "1" / "precious").is_file()


@pytest.mark.parametrize("link", ["linked", "linked/1", "runs/away", "runs/../../../outside"])
def test_nothing_outside_is_removed(places, link):
    named = places / "named"
    (named / "linked").symlink_to(places / "outside")
    (named / "runs" / "away").symlink_to(places / "outside" / "1")
    with refused("leads out of"):
        remove_folder(named / link, named)
    assert (places / "outside" / "1" / "precious").is_file()


def test_only_what_lies_below_the_folder(places):
    for path in (places / "outside", places, places / "named"):
        with refused("leads out of"):
            remove_folder(path, places / "named")
    assert (places / "outside" / "1" / "precious").is_file()
    assert (places / "named" / "runs").is_dir()


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        with refused(f"{name}: no regular file"):
            require_regular(tmp_path / name)
    require_regular(tmp_path / "missing")
    require_regular(Path(__file__))
