"""What is kept is given back, and only what measures anew keeps."""

import keeping
import numpy as np
import pytest


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A made-up document, with a function that counts how often it is called."""
    monkeypatch.setattr(keeping, "FOLDER", tmp_path)
    monkeypatch.setattr(keeping, "HELD", {})
    calls = []

    def measure(size, scale=2.0):
        calls.append(size)
        return {"values": scale * np.arange(size), "most": np.float64(size), "odd": np.nan}

    measure.__module__ = "made_up.chapter"
    return lambda: keeping.kept("test_keeping.py::test_what_is_kept_is_given_back")(measure), calls


def test_what_is_kept_is_given_back(asked):
    make, calls = asked
    with keeping.measured_anew("made_up"):
        first = make()(3)
    assert list(keeping.read("made_up")) == ["chapter.measure(size=3, scale=2.0)"]
    again = make()(3, scale=2.0)
    assert calls == [3]
    assert again["values"] == first["values"] == [0.0, 2.0, 4.0]
    assert np.isnan(again["odd"])


def test_what_is_not_kept_is_measured_and_not_kept(asked):
    make, calls = asked
    assert make()(4)["most"] == 4.0
    assert calls == [4]
    assert keeping.read("made_up") == {}


def test_measuring_anew_forgets_what_nobody_asks_for(asked):
    make, calls = asked
    for size in (3, 5):
        with keeping.measured_anew("made_up"):
            make()(size)
    assert list(keeping.read("made_up")) == ["chapter.measure(size=5, scale=2.0)"]
    assert calls == [3, 5]


def test_what_another_document_asked_for_before_is_measured_anew_too(asked):
    make, calls = asked
    measure = make()
    measure(3)
    with keeping.measured_anew("made_up"):
        measure(3)
    assert list(keeping.read("made_up")) == ["chapter.measure(size=3, scale=2.0)"]
    assert calls == [3, 3]


def test_only_what_is_missing_may_be_measured(asked):
    make, calls = asked
    with keeping.measured_anew("made_up"):
        make()(3)
    with keeping.measured_anew("made_up", missing=True):
        measure = make()
        assert measure(3)["most"] == 3.0
        measure(8)
    assert calls == [3, 8]
    assert len(keeping.read("made_up")) == 2


def test_an_interrupted_measurement_changes_nothing(asked):
    make, _ = asked
    with keeping.measured_anew("made_up"):
        make()(3)
    with pytest.raises(ZeroDivisionError), keeping.measured_anew("made_up"):
        make()(7 // 0)
    assert list(keeping.read("made_up")) == ["chapter.measure(size=3, scale=2.0)"]


def test_what_json_cannot_hold_is_refused(asked):
    def measure():
        return object()

    measure.__module__ = "made_up.chapter"
    with pytest.raises(TypeError, match="object cannot be kept"):
        keeping.kept("x")(measure)()
