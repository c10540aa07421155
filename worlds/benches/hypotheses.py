"""The scenes of Saund and Berenson, watched: told by torques alone, or which link touches too."""

from whole_arm import Watched

from hopfield_nav.navigation.map import ContactHypotheses


class Told(Watched):
    """A simulation whose navigator believes the places on the link that touches alone, if there are any."""

    def localize(self, trace):
        """As the navigator's."""
        believed, link = self.simulation.navigator.map.collisions, self.truth[1] if self.truth else 0
        add = believed.add

        def add_told(places, q):
            add(on_link(places, link), q)

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
    """The places on a link, as likely among each other as they were; all of them where none is on it."""
    own = places.links == link
    if not own.any():
        return places
    return ContactHypotheses(places.points[own], places.links[own], places.weights[own] / places.weights[own].sum())
