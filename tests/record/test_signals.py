"""Signals of the record: what the table of the log says of one is all that is said of it."""

from __future__ import annotations

import numpy as np
from scenes import simulation

from hopfield_nav.loop import COLUMNS
from hopfield_nav.loop.log import Column
from hopfield_nav.record import dataset

POWER = Column("power", None, "W", "electrical power of the motors")


def test_a_new_signal_of_one_number_is_kept_as_it_is(monkeypatch):
    """Above 127, below -128, with decimals, and where it is none."""
    monkeypatch.setattr(dataset, "further_columns", lambda world: (POWER,))
    short = simulation("time_limit: 0.004\n").run()
    powers = np.array([300.2, -1000.5, 0.25, np.nan])
    log = np.column_stack([short._parts[0][:4], powers])
    record = dataset.make_record(short.world, log, *short._parts[1:])
    dimensions, values, attributes = record.variables["power"]
    assert dimensions == ("time",)
    np.testing.assert_array_equal(values, powers)
    assert attributes == {"units": "W", "long_name": "electrical power of the motors"}


def test_each_signal_has_the_kind_of_number_unit_and_words_of_the_table():
    data = simulation("time_limit: 0.004\n").run().data
    for column in COLUMNS:
        assert data[column.name].dtype == column.kind
        assert data[column.name].attrs == {"units": column.unit, "long_name": column.long_name}
