"""The scenes of Saund and Berenson, watched: told by torques alone, or which link touches too."""

from whole_arm import Watched

from hopfield_nav.navigation.map import NOWHERE, ContactHypotheses


class Told(Watched):
    """A simulation whose navigator believes no place on another link than the one that touches."""

    def localize(self, trace):
        """As the navigator's."""
        believed, link = self.simulation.navigator.collisions, self.truth[1] if self.truth else 0
        add = believed.add

        def add_told(places, q):
            own = on_link(places, link)
            if len(own.points):
                add(own, q)

        believed.add = add_told
        try:
            return super().localize(trace)
        finally:
            believed.add = add


def felt(world, seed):
    """The run of an arm that feels torques alone."""
    return Watched(world, seed, 0.0)


def told(world, seed):
    """The run of an arm that is told the link as well."""
    return Told(world, seed, 0.0)


def on_link(places, link):
    """The places on a link, as likely among each other as they were; none where there is none."""
    own = places.links == link
    if not own.any():
        return NOWHERE
    return ContactHypotheses(
        places.points[own], places.links[own], places.weights[own] / places.weights[own].sum()
    )
