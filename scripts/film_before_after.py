"""One film of a shelf as it is driven, beside how it was driven before straight lines and finer maps.

python scripts/film_before_after.py    (writes docs/figures/shelf_before_after.mp4)
"""

from pathlib import Path

import numpy as np
import typer
from benches import suite_module

from hopfield_nav import simulate
from hopfield_nav.figures import Cut, film_speed, film_style, write_film
from hopfield_nav.figures.run.film import Film
from hopfield_nav.world import parse_world

SEED = 1002  # of the suite ``whole_arm``, among shelves
BEFORE = {"any_angle": False, "finer": False, "no_path_error": 0.0}
SIZE, FPS, LONGEST, REST = (800, 450), 12, 20.0, 2.0  # [pixels] of one of the two, [1/s], [s], [s]
FILE = Path("docs/figures/shelf_before_after")


def main(seed: int = SEED, out: Path = FILE) -> None:
    """Write the film, its name without the ending, and print what became of both runs."""
    world = parse_world(suite_module("whole_arm").draw_text("shelf", seed))
    world = world.with_changes(record=world.record.model_copy(update={"signals": "all"}))
    kinds: dict[str, dict[str, object]] = {"before": BEFORE, "now": {}}
    runs = [simulate(world.with_changes(planner=world.planner.model_copy(update=keys))) for keys in kinds.values()]
    last, most = (max(run.summary[name] for run in runs) for name in ("simulated_time_s", "peak_contact_force_N"))
    for run in runs:
        run.summary["world"] = f"shelf {seed}"
    speed = film_speed(last, LONGEST)
    with film_style():
        films = [Film(run, Cut(size=SIZE, fps=FPS)) for run in runs]
        for film, kind in zip(films, kinds, strict=True):
            film.speed = speed
            film.figure.text(0.66, 0.955, kind, fontsize="large", weight="bold")
            film.figure.axes[-1].set(xlim=(0.0, last), ylim=(0.0, most))
        times = np.arange(0.0, last + REST * speed, speed / FPS)
        frames = (np.hstack([film.draw(float(time)) for film in films]) for time in times)
        path = write_film(out, frames, len(times), FPS, size=(2 * SIZE[0], SIZE[1]))
    for kind, run in zip(kinds, runs, strict=True):
        said = run.summary
        print(f"{kind}: {said['outcome']}, {said['collision_count']} touches, {said['simulated_time_s']:.1f} s")
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    typer.run(main)
