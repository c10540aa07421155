"""Whose joint is which column: the joints of a log in the order of an arm, and what of a log is used, in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dynamics import BadInput, list_arms, load_named_arm, nearest_name
from dynamics.files import NamedArm

if TYPE_CHECKING:
    import xarray

_USES = ("joints", "clock", "columns", "left_out")  # attributes that say what a log is used for


def in_order_of(data: "xarray.Dataset", names: Sequence[str], count: int, where: str) -> "xarray.Dataset":
    """A log with the joints of an arm in its order, where both have ``names``; a prefix of some of them is no matter.

    Those of UR's drivers are known for any arm of six joints. Where no name fits, the ``count`` joints are taken as
    they stand. The attribute ``joints`` says what was done.

    Raises ``BadInput``: another number of joints, or some joints of the arm that the log does not have.
    """
    own = tuple(filter(None, data.attrs.get("joint_names", "").split(", ")))
    places = [_place(name, own) for name in names]
    known = load_named_arm("ur5e").joints
    if all(place is None for place in places) and count == len(known) and set(known) <= set(own):
        names, places = known, [own.index(name) for name in known]
    if any(place is not None for place in places):
        missing = [name for name, place in zip(names, places, strict=True) if place is None]
        if missing:
            found, nearest = ", ".join(own), nearest_name(missing[0], own)
            raise BadInput(f"no joint {', '.join(missing)}", where=where, found=found, nearest=nearest)
        data = data.isel(joint=np.array(places)).assign_coords(joint=data.joint[: len(names)].values)
        unused = [name for name in own if own.index(name) not in places]
        words = ", ".join(own[place] for place in places if place is not None)
        return data.assign_attrs(joints=f"by name, {words}" + (f"; not used: {', '.join(unused)}" if unused else ""))
    if data.sizes["joint"] != count:
        allowed = f"{count}, as the arm: --arm ARM or --world WORLD names another"
        found = f"{data.sizes['joint']}" + (f": {', '.join(own)}" if own else "")
        raise BadInput("another number of joints than the arm", where=where, found=found, allowed=allowed)
    if own:
        return data.assign_attrs(joints=f"{', '.join(own)}, assumed to be in the order of the arm")
    return data.assign_attrs(joints=f"1 to {count} as they are numbered")


def _place(name: str, own: Sequence[str]) -> int | None:
    """Where a joint stands among those of a log: by its name, or by the only one of which it is the end."""
    near = [k for k, other in enumerate(own) if other.endswith(name) or name.endswith(other)]
    return own.index(name) if name in own else near[0] if len(near) == 1 else None


def uses_of(
    logs: "Sequence[tuple[str, xarray.Dataset]]", arm: str | None = None, own: NamedArm | None = None
) -> list[tuple[str, str]]:
    """What logs are used for, as rows of a table: joints, clock, columns, and the rows that are left out.

    And what of the arm's file ``arm`` is used, whose content is ``own``, where it is one of the user's.
    """
    use = own.use() if own is not None and arm not in (None, *list_arms()) else ""
    said = [(name, [(use, data.attrs[use]) for use in _USES if data.attrs.get(use)]) for name, data in logs]
    rows = [(f"log {name}", "; ".join(f"{use.replace('_', ' ')}: {text}" for use, text in uses)) for name, uses in said]
    return [*[("arm", use)] * bool(use), *dict.fromkeys(rows)]
