"""Table 4 link by link. Its names are lost; its order is that of the links, and three values tell where.

Within a link the order is XX, XY, XZ, YZ, ZZ, MX, MY: MX2R, MX3R and MY4R stand where that order
puts them. Link 2 has one value fewer than our set of parameters and links 3 and 4 together one
more, so that set was grouped in another way, and what stands between there cannot be named.
"""

import numpy as np
from ledger import Rows, judged
from reproduction import listed

from madsen2020.validation import estimate, fitted

VALUES = {  # kg·m² and kg·m, as printed, by link
    "1": (2.1981,),
    "2": (-1.6552, -0.0405, 0.3734, 0.1278, -4.1774, -0.0132),
    "3, 4": (-0.7336, -0.1563, 0.1302, -0.1714, 0.0212, -1.8774, 0.0428, -0.0428, -0.0454, 0.0144, 0.0166,
             0.0005, -0.0005, -0.0112, -0.1866),
    "5": (0.0239, -0.0391, 0.0194, 0.0065, 0.0315, -0.0013, 0.0442),
    "6": (0.0187, 0.0059, 0.0187, -0.0002, 0.0209, 0.0036, -0.0043),
}  # fmt: skip
ORDER = ("XX", "XY", "XZ", "YZ", "ZZ", "MX", "MY")
LEFT_OUT = "ZZ2R"  # of ours, where link 2 is one short


def names(link: str) -> list[str]:
    """Our base parameters of a link, in the document's order; empty where its values cannot be named."""
    own = [name for name in fitted(True).names if name[2:3] == link and name != LEFT_OUT]
    kept = [name for name in own if name[:2] in ORDER]
    return sorted(kept, key=lambda name: ORDER.index(name[:2]))


def ours(link: str) -> list[tuple[str, float, float, float]]:
    """Name, the maker's value, the identified one and its deviation, in the document's order."""
    found = [(name, *estimate(name)) for name in names(link)]
    return [(name, truth, value, error) for name, value, error, truth in found]


def rows() -> Rows:
    for link, printed in VALUES.items():
        found = [entry for one in link.split(", ") for entry in ours(one)]
        text = ", ".join(
            f"{name} {truth:.4f} ({value:.4f} ± {error:.4f})" for name, truth, value, error in found
        )
        inside = np.mean([abs(value - truth) < 3 * error for _, truth, value, error in found])
        text = f"the maker's arm, and as identified on the bench: {text}; {100 * inside:.0f} % within three deviations"
        values, count, said = listed(printed, ".4f").replace("-", "−"), len(printed), SAID[link]
        yield judged(
            "madsen2020.values_of_table_4",
            text,
            None,
            link=link,
            values=values,
            count=count,
            said=said,
        )


SAID = {
    "1": "the name is by order; a sum of inertias about axis 1, which the maker's model has larger",
    "2": "names are by order, with ZZ2R missing in print: XX2R, XZ2R and MX2R have the maker's sign and size;"
    " the rest are 0 there, since the maker publishes no products of inertia",
    "3, 4": "15 values for 14 parameters of ours: MX3R and MY4R are told by their size, the rest cannot be named",
    "5": "names are by order: MY5R has the maker's sign and size; of the rest most are 0 there",
    "6": "names are by order; the maker's last link has hardly any inertia, and no products are published",
}
