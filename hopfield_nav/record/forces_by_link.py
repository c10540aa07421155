"""How hard each link pressed, and what the regions of a human body bear.

A contact of a link is what ``contacts`` calls one, of the rows in which the largest contact force is on that link. Its
force is that one or the sum of all forces on the arm, whichever is larger: several may press on one side, or clamp.

- Its **peak force** is the largest force in it: ISO/TS 15066 calls a contact *transient* while the body can recoil.
- Its **lasting force** is the mean over it after the first 0.5 s: ISO/TS 15066 calls a contact *quasi-static* while the
  body is clamped. The border of 0.5 s is chosen here; a shorter contact has none.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hopfield_nav.record.contacts import contact_spans, force_norm

if TYPE_CHECKING:
    import xarray

TRANSIENT_TIME = 0.5  # [s] from the beginning of a contact


class BodyRegion(NamedTuple):
    """A region of the human body, and the forces that it bears at most."""

    name: str
    lasting: float  # quasi-static [N]
    peak: float | None  # transient [N], twice the quasi-static one; None: no such contact is allowed


BODY_REGIONS = (  # ISO/TS 15066:2016, annex A, table A.2
    BodyRegion("skull and forehead", 130.0, None),
    BodyRegion("face", 65.0, None),
    BodyRegion("neck", 150.0, 300.0),
    BodyRegion("back and shoulders", 210.0, 420.0),
    BodyRegion("chest", 140.0, 280.0),
    BodyRegion("abdomen", 110.0, 220.0),
    BodyRegion("pelvis", 180.0, 360.0),
    BodyRegion("upper arms and elbows", 150.0, 300.0),
    BodyRegion("lower arms and wrists", 160.0, 320.0),
    BodyRegion("hands and fingers", 140.0, 280.0),
    BodyRegion("thighs and knees", 220.0, 440.0),
    BodyRegion("lower legs", 130.0, 260.0),
)


def link_forces(
    time: np.ndarray, link: np.ndarray, largest: np.ndarray, total: np.ndarray
) -> dict[str, dict[str, float | None]]:
    """Peak and lasting force [N] of every link that was touched, by its number.

    ``time`` (k,) [s] of the rows of a record, in each the ``link`` (k,) with the ``largest`` contact force (k, 3), 0
    for none, and the ``total`` (k, 3) of all [N]. Where no contact lasted ``TRANSIENT_TIME`` the lasting force is None.
    """
    size = np.maximum(force_norm(largest), force_norm(total))
    forces: dict[str, dict[str, float | None]] = {}
    for number in np.unique(link[link > 0]):
        own = np.where(link == number, size, 0.0)
        parts = [(time > start + TRANSIENT_TIME) & (time <= end) for start, end in contact_spans(time, own > 0.0)]
        lasting = max((float(own[part].mean()) for part in parts if part.any()), default=None)
        forces[str(int(number))] = {"peak_force_N": float(own.max()), "lasting_force_N": lasting}
    return forces


def link_forces_of(data: "xarray.Dataset") -> dict[str, dict[str, float | None]]:
    """As ``link_forces``, of a record."""
    return link_forces(*(data[name].values for name in ("time", "contact_link", "contact_force", "force")))
