"""The command serve."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopfield_nav.cli import set_option

if TYPE_CHECKING:
    from hopfield_nav.extensions.live.server import Server
    from hopfield_nav.extensions.live.source import Source


def serve(
    log: Annotated[
        str,
        typer.Argument(
            metavar="WORLD_OR_LOG",
            help="World, folder of a run, or recording of a real arm: what is told.",
        ),
    ],
    speed: Annotated[
        float, typer.Option(min=0.01, max=1000.0, help="Seconds of the log a second.")
    ] = 1.0,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="0: any free one; most clients know 30004 alone.")
    ] = 30004,
    rate: Annotated[
        float | None,
        typer.Option(
            min=1.0, max=1000.0, help="Rows of a run a second  [default: 125; 500 for ur5e arms]"
        ),
    ] = None,
    arm: Annotated[
        str,
        typer.Option(help="Model that gives a recording's tool poses, where they are not in it."),
    ] = "ur5_controller",
    overrides: Annotated[list[str] | None, set_option("detection.threshold=8")] = None,
) -> int:
    """Tell a simulated run, or a recording, as a Universal Robots arm tells its state (RTDE, port 30004)."""
    from hopfield_nav.cli import say
    from hopfield_nav.extensions.live.server import Server, is_loopback

    told = _telling(log, rate, arm, overrides or [])
    server = Server(told, host, port, speed)
    address = ":".join(map(str, server.address))
    if not is_loopback(host):
        say(f"warning: {host} can be reached by others, and the protocol knows no password")
    say(f"telling {told.name} at {address}, {told.rate:.0f} Hz; it begins with the first client")
    say("nothing that a client sends moves anything; fields that the log does not know are zero")
    try:
        server.serve()
    finally:
        _report(server, told)
    return 0


def _telling(log: str, rate: float | None, arm: str, overrides: list[str]) -> "Source":
    from dynamics import BadInput, load_arm
    from hopfield_nav.cli import say, say_if_cold

    path = Path(log)
    is_run = (path / "world.yaml").is_file()
    is_recording = not is_run and (
        path.is_dir() or (path.is_file() and path.suffix not in (".yaml", ".yml"))
    )
    if overrides and (is_run or is_recording):
        raise BadInput("a log cannot be changed", where="--set", allowed="for worlds alone")
    if is_recording:
        from hopfield_nav.extensions.live.source import source_of_recording
        from hopfield_nav.extensions.recordings import load_recording

        return source_of_recording(load_recording(path), load_arm(arm))
    say_if_cold()
    from hopfield_nav.experiment import simulate
    from hopfield_nav.extensions.live.source import source_of_run
    from hopfield_nav.record import load_run
    from hopfield_nav.world import load_world

    world = None if is_run else load_world(log, overrides)
    say(*(world.notes if world else ()))
    run = load_run(path) if world is None else simulate(world)
    return source_of_run(run, rate)


def _report(server: "Server", told: "Source") -> None:
    import numpy as np

    from hopfield_nav.cli import print_table

    if not server.late:
        return
    late = [server.late[row] for row in sorted(server.late)]
    half, most, longest = (1e3 * value for value in np.quantile(late, (0.5, 0.99, 1.0)))
    print_table(
        [
            ("rows told", f"{len(server.late)} of {len(told.time)}"),
            ("clients", f"{server.clients}, {server.packages} packages"),
            (
                "rows were late by",
                f"{half:.2g} ms half of them, {most:.2g} ms 99 %, {longest:.2g} ms at most",
            ),
            ("the last one by", f"{1e3 * late[-1]:.2g} ms: what the clock has drifted"),
        ],
        title=told.name,
    )
