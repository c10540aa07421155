"""The section ``planner`` of a world file: what plans a path, and what becomes of that path."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import Field

from dynamics import BadInput
from hopfield_nav.plugin import Parameter
from hopfield_nav.world import fields
from hopfield_nav.world.methods import Gone, MethodSection
from hopfield_nav.world.trust import Trust

_Step = Literal["+u", "-u", "+v", "-v", "+w", "-w"]
_AXES = get_args(_Step)
TIES_IN_SPACE = ("+w", "-w", "+v", "-v", "+u", "-u")  # the default there
NETWORK_KEYS = ("network", "beta", "activation", "ties")  # that no other planner has
_GONE = (
    Gone("probe"),
    Gone("samples"),
    Gone("connections"),
    Gone("random_walks"),
    Gone("kind", value="potential_field", instead="hopfield"),
    Gone("kind", value="roadmap", instead="hopfield"),
    Gone("strategy", value="hypothesis_sets", instead="felt_points"),
    Gone("strategy", value="thompson", instead="felt_points"),
    Gone("unreachable", value="precompute", instead="lazy"),
)


class PlannerSection(MethodSection):
    """What plans the path through the map, and what becomes of that path.

    With another planner the keys of the network stand at their defaults. The parameters of a user's
    own planner and strategy are further keys.
    """

    owners: ClassVar[dict[str, str]] = dict.fromkeys(
        ("strategy", "no_path_error", "finer", "approach", "surface"), "whole_arm"
    )
    kinds: ClassVar[dict[str, str]] = {"kind": "planner", "strategy": "belief"}
    gone: ClassVar[tuple[Gone, ...]] = _GONE

    kind: fields.Text = "hopfield"
    """what plans: hopfield, the network; for comparison a_star; or FILE.py:NAME"""
    network: Literal["limit", "sum"] = Field(
        "limit", description="limit: shortest paths; sum: the document's"
    )
    beta: Annotated[float, fields.Range(0.0, 1.0, "1", above=True)] | None = None
    """gain of the neurons, for the sum network; null: chosen by the planner"""
    activation: Literal["linear", "tanh", "shunting", "saturated", "sigmoid", "threshold"] = (
        "linear"
    )
    """function of the neurons, for the sum network, beta being its slope; all but linear in plain
    doubles; saturated and sigmoid light cells without a path; threshold has no slope: refused"""
    radius: Annotated[float, fields.Range(1.0, 16.0, "cells")] = 1.0
    """neurons this near are connected"""
    ties: Annotated[tuple[_Step, ...], fields.Length(4, 6)] = ("+v", "-v", "+u", "-u")
    """which step is taken first among equals; u runs along x, v along y, w along z"""
    strategy: fields.Text = "felt_points"
    """what a touch blocks on a map of joint angles: felt_points, where it may have been; optimist,
    its own step alone; omniscient: all obstacles are known, as the bound of what is possible; or
    FILE.py:NAME"""
    no_path_error: Annotated[float, fields.Range(0.0, 0.1, "1")] = 1e-3
    """on a map of joint angles: probability of error with which a run may end as no_path by where
    touches were felt; 0: facts alone end it"""
    finer: fields.Flag = True
    """on a map of joint angles, where every path would nearly surely be touched: reach the goal
    from more cells, and then go on with a map whose cells are split around it"""
    approach: Annotated[float, fields.Range(0.0, 1.0, "m")] = 0.0
    """on a map of joint angles: come to the goal along the tool's axis z from so far behind it, and
    leave the start so; 0: as the path leads"""
    surface: Annotated[float, fields.Range(0.0, 0.5, "m")] = 0.0
    """on a map of joint angles: believe that a surface goes on so far about each likely place of a
    touch; 0: nothing is believed of it"""
    forget: Annotated[float, fields.Range(0.0, 1e5, "s", above=True)] | None = None
    """on a map of the tool: time in which the certainty of all that was felt and driven halves, for
    worlds that change; null: nothing grows old"""
    any_angle: fields.Flag = False
    """shorten the path by straight lines: of the tool; or of all joints together, the default on a
    map of joint angles"""
    clearance: Annotated[float, fields.Range(0.0, 1.0, "m")] = 0.0
    """kept from blocked cells, with any_angle"""
    unreachable: Literal["lazy", "ignore"] = "lazy"
    """cells that the arm cannot reach: excluded when a path leads there, or not: then it ends the
    run"""

    @classmethod
    def own_keys(
        cls, section: Mapping[str, Any], folder: Path, trust: Trust
    ) -> dict[str, Parameter] | None:
        """As of any section, and those of the network where it plans."""
        own = super().own_keys(section, folder, trust)
        if own is None or cls.named(section)["kind"] != "hopfield":
            return own
        return own | {key: _of_network(key) for key in NETWORK_KEYS}

    @fields.must_fit
    def _check(self) -> Iterator[BadInput]:
        if self.clearance > 0 and not self.any_angle:
            yield BadInput(
                "only a path at any angle keeps a clearance",
                where="clearance",
                found=self.clearance,
                allowed="0, or any_angle: true",
            )
        if self.activation != "linear" and (self.kind, self.network) != ("hopfield", "sum"):
            what = "only the summing network has activation functions"
            yield BadInput(
                what, "activation", self.activation, "linear, or kind: hopfield with network: sum"
            )
        in_plane = _AXES[:4]
        if sorted(self.ties) not in (sorted(in_plane), sorted(_AXES)):
            yield BadInput(
                "each step must be named once",
                where="ties",
                found=list(self.ties),
                allowed=f"{', '.join(in_plane)}, and +w, -w where the map is in space, "
                "in any order",
            )
        if self.kind != "hopfield":
            yield from self._keys_of_the_network()

    def _keys_of_the_network(self) -> Iterator[BadInput]:
        """Keys of the network that are given, though another planner plans."""
        for key in NETWORK_KEYS:
            value = getattr(self, key)
            default = type(self).model_fields[key].default
            if value in (default, TIES_IN_SPACE):
                continue
            as_written = json.dumps(default).replace('"', "")
            as_data = json.loads(json.dumps(value))  # a tuple is a list in a file
            yield BadInput(
                "only planner hopfield has it",
                where=key,
                found=fields.show(as_data),
                allowed=f"{as_written}, its default, or kind: hopfield",
            )


def _of_network(key: str) -> Parameter:
    """A key of the network as a parameter, without a range: the section checks its value."""
    return Parameter(key, default=0.0, low=0.0, high=0.0, unit="1", description="of the network")
