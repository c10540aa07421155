"""The columns that a sweep keeps of its runs: of their summary, those that an aim names, and measures of one's own."""

from functools import cache
from pathlib import Path

from dynamics import BadInput, nearest_name
from hopfield_nav import world as worlds
from hopfield_nav.plugin import Measures, load_from_file
from hopfield_nav.record import SUMMARY, Quantity
from hopfield_nav.sweeps.aim import REACHED, Aim
from hopfield_nav.sweeps.sections import SweepFile


@cache
def load_measures(name: str, folder: Path) -> Measures:
    """The measures that a file of a user's own holds.

    Raises ``BadInput``: it holds none of that name, or a column that every table has.
    """
    found = load_from_file("measures", name, folder)
    if not isinstance(found, Measures):
        file, attribute = name.rsplit(":", 1)
        raise BadInput(f"{Path(file).name} has no measures of that name", found=attribute, allowed="Measures(…)")
    for column in found.columns:
        if column in SUMMARY or column in ("index", "repeat", "seed", "error"):
            raise BadInput("a measure has the name of another column", found=column)
    return found


def kept_columns(file: SweepFile, measures: Measures | None) -> dict[str, Quantity]:
    """What every column of a sweep is."""
    kept = {name: SUMMARY[name] for name in file.columns}
    for name, unit in ({} if measures is None else measures.columns).items():
        words, suffix = name.replace("_", " "), f" {unit.replace(' ', '')}"
        named = unit and words.endswith(suffix)  # a unit at the end of its name is told as one
        kept[name] = Quantity(
            words.removesuffix(suffix) if named else words, unit or None, words, unit if named else ""
        )
    return kept


def column_faults(file: SweepFile, folder: Path, trust: worlds.Trust) -> list[BadInput]:
    """What is wrong with the measures of a sweep file, or else with its aim; ``where`` is the key."""
    at, measures = "measures", None
    try:
        if file.measures is not None:
            trust.require(file.measures, folder)
            measures = load_measures(file.measures, folder)
        at = "aim"
        check_aim(file.aim, measures)
    except BadInput as error:
        return [error.at(at if at == "measures" else f"aim.{error.where}")]
    return []


def check_aim(aim: Aim | None, measures: Measures | None) -> None:
    """Refuse an aim at what no run has.

    Raises ``BadInput``: a quantity is not known, or is text; ``where`` is its key in the aim.
    """
    units: dict[str, str | None] = {name: quantity.unit for name, quantity in SUMMARY.items()}
    units |= {} if measures is None else {name: unit or None for name, unit in measures.columns.items()}
    known = [REACHED, *(name for name, unit in units.items() if unit is not None)]
    for name in aim.names if aim else ():
        if name not in known:
            where = "least" if aim and name == aim.least else f"while.{name}"
            what = "not a number" if name in units else "unknown quantity"
            raise BadInput(what, where=where, found=name, allowed=", ".join(known), nearest=nearest_name(name, known))
