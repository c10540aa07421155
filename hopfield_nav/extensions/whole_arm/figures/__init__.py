"""Figures of a run on a map of joint angles, by the names of their files: places of touches, slices of the map."""

import hopfield_nav.figures  # noqa: F401  (first: it loads Matplotlib without the settings of the user)
from hopfield_nav.extensions.whole_arm.figures.places import places_page
from hopfield_nav.extensions.whole_arm.figures.slices import slices_page

PAGES = {"places": places_page, "slices": slices_page}
