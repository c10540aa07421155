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
    peak: float | None  # transient [N]; None: no such contact is allowed

    @classmethod
    def of(cls, name: str, lasting: float, factor: float | None = 2.0) -> "BodyRegion":
        """By its quasi-static force [N], and the transient one as a multiple of it."""
        return cls(name, lasting, factor and factor * lasting)


BODY_REGIONS = (  # ISO/TS 15066:2016, annex A, table A.2
    BodyRegion.of("skull and forehead", 130.0, None),
    BodyRegion.of("face", 65.0, None),
    BodyRegion.of("neck", 150.0),
    BodyRegion.of("back and shoulders", 210.0),
    BodyRegion.of("chest", 140.0),
    BodyRegion.of("abdomen", 110.0),
    BodyRegion.of("pelvis", 180.0),
    BodyRegion.of("upper arms and elbows", 150.0),
    BodyRegion.of("lower arms and wrists", 160.0),
    BodyRegion.of("hands and fingers", 140.0),
    BodyRegion.of("thighs and knees", 220.0),
    BodyRegion.of("lower legs", 130.0),
)


def link_forces(
    time: np.ndarray, link: np.ndarray, largest: np.ndarray, total: np.ndarray
) -> dict[str, dict[str, float | None]]:
    """Peak and lasting force [N] of every link that was touched, by its number.

    ``time`` (k,) [s] of the rows of a record, in each the ``link`` (k,) with the ``largest`` contact force (k, 3), 0
    for none, and the ``total`` (k, 3) of all [N]. Where no contact lasted ``TRANSIENT_TIME`` the lasting force is None.
    """
    size = np.maximum(force_norm(largest), force_norm(total))
    touched = np.unique(link[link > 0])
    return {str(int(number)): _forces(time, np.where(link == number, size, 0.0)) for number in touched}


def link_forces_of(data: "xarray.Dataset") -> dict[str, dict[str, float | None]]:
    """As ``link_forces``, of a record."""
    return link_forces(*(data[name].values for name in ("time", "contact_link", "contact_force", "force")))


def _forces(time: np.ndarray, size: np.ndarray) -> dict[str, float | None]:
    parts = [(time > start + TRANSIENT_TIME) & (time <= end) for start, end in contact_spans(time, size > 0.0)]
    lasting = [float(size[part].mean()) for part in parts if part.any()]
    return {"peak_force_N": float(size.max()), "lasting_force_N": max(lasting, default=None)}
