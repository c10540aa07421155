"""Figures of a run on a map of joint angles: places of touches, slices of the map, the panel of the film."""

import hopfield_nav.figures  # noqa: F401  (first: it loads Matplotlib without the settings of the user)
