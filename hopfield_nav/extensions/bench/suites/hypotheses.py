"""The scenes of Saund and Berenson, watched: told by torques alone, or which link touches too."""

from hopfield_nav.extensions.bench.suites.whole_arm import Told, Watched
from hopfield_nav.navigation.map import ContactHypotheses


class LinkTold(Told):
    """A simulation whose navigator believes the places on the link that touches alone, if there are any."""

    def told(self, places):
        """Those."""
        return on_link(places, self.truth[1])


def felt(world, seed):
    """The run of an arm that feels torques alone."""
    return Watched(world, seed, 0.0)


def told(world, seed):
    """The run of an arm that is told the link as well."""
    return LinkTold(world, seed, 0.0)


def on_link(places, link):
    """The places on a link, as likely among each other as they were; all of them where none is on it."""
    own = places.links == link
    if not own.any():
        return places
    return ContactHypotheses(
        places.points[own], places.links[own], places.weights[own] / places.weights[own].sum()
    )
