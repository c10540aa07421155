"""Figures of a run on a map of joint angles: places of touches, slices of the map, the panel of the film."""
