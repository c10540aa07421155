"""The response ``replan``: nothing but what ``navigation.answer`` says, back and on from there."""

from hopfield_nav.navigation.responses.response import Response
from hopfield_nav.plugin import Method

METHOD = Method(
    "response", "replan", Response,
    description="back to the centre of the last cell, and from there a new path of the planner",
)  # fmt: skip
