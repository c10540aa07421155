"""The command warm: everything is compiled now, and nothing waits for it later."""

import os
from typing import Annotated

import typer


def warm(
    worlds: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORLD]...", help="Only what these need  [default: all that come along]"),
    ] = None,
    processes: Annotated[int | None, typer.Option(min=1, help="At once  [default: one a processor]")] = None,
) -> int:
    """Compile everything now, in several processes; what is compiled already is only looked at."""
    from dynamics.kernels.cache import cache_folder, cache_is_shared
    from hopfield_nav.cli.report import count_bar, say
    from hopfield_nav.experiment import PARTS, compile_parts
    from hopfield_nav.world import find_world, list_worlds

    chosen = worlds or list_worlds()
    for name in chosen:
        find_world(name)
    at_once = (processes or os.cpu_count() or 1) if cache_is_shared() else 1
    *first, last = PARTS
    done, total = 0, len(PARTS) + len(chosen)
    with count_bar("compiling", "parts") as progress:
        for names in (first, [last, *chosen]):  # the second ones call the first ones
            for name in compile_parts(names, at_once):
                done += 1
                if progress is None:
                    say(f"{name} ({done} of {total})")
                else:
                    progress(done, total)
    print(cache_folder())
    return 0
