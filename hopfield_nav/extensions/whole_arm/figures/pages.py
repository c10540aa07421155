"""The figures of a run on a map of joint angles, by the names of their files."""

from hopfield_nav.extensions.whole_arm.figures.places import places_page
from hopfield_nav.extensions.whole_arm.figures.slices import slices_page

PAGES = {"places": places_page, "slices": slices_page}
