"""Files that are written whole or not at all."""

import pytest
from refusals import refused

from dynamics.files import whole_file, write_whole


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
