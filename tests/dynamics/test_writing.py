"""Files and folders that are written whole or not at all."""

import pytest
from refusals import refused

from dynamics.files import FolderTaken, whole_file, whole_folder, write_whole


def test_the_file_is_there_when_the_block_ends(tmp_path):
    path = tmp_path / "a.b.csv"
    with whole_file(path) as partial:
        partial.write_text("new")
        assert partial.suffix == path.suffix
        assert not path.exists()
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_was_there_stays_when_the_block_fails(tmp_path, error):
    path = write_whole(tmp_path / "a.txt", "old")
    with pytest.raises(error):
        _write_half(path, error)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def _write_half(path, error):
    with whole_file(path) as partial:
        partial.write_text("half")
        raise error


@pytest.mark.parametrize("name", ["no/such/folder.txt", "file/below.txt"])
def test_text_that_cannot_be_written(tmp_path, name):
    (tmp_path / "file").touch()
    with refused(r"folder\.txt|below\.txt"):
        write_whole(tmp_path / name, "text")


def test_a_folder_taken_meanwhile_is_left_as_it_is(tmp_path):
    """Two at once, even with one process number, as two containers have that share a disk."""
    folder = tmp_path / "run"
    with refused("the folder is not empty", FolderTaken), whole_folder(folder) as late:
        (late / "mine.txt").write_text("late")
        with whole_folder(folder) as first:
            (first / "mine.txt").write_text("first")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert (folder / "mine.txt").read_text() == "first"


def test_two_at_once_write_one_file_whole(tmp_path):
    path = tmp_path / "a.txt"
    with whole_file(path) as one, whole_file(path) as other:
        one.write_text("one")
        other.write_text("other")
    assert path.read_text() == "one"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("there", [True, False])
def test_the_folder_that_is_named_may_be_a_link(tmp_path, there):
    (tmp_path / "disk").mkdir()
    if there:
        (tmp_path / "disk" / "run").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "disk" / "run")
    with whole_folder(tmp_path / "run") as partial:
        (partial / "a.txt").touch()
    assert (tmp_path / "disk" / "run" / "a.txt").is_file()
    assert (tmp_path / "run").is_symlink()
