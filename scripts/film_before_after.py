"""Films of the whole arm in a shelf, without something and with it, side by side: docs/figures/NAME.mp4.

python scripts/film_before_after.py [--name blind]    (blind: where the problems have been read)
"""

from pathlib import Path

import numpy as np
import typer
from benches import BUNDLED, suite_module

from hopfield_nav import simulate
from hopfield_nav.figures import Cut, film_speed, film_style, write_film
from hopfield_nav.figures.run.film import Film
from hopfield_nav.world import parse_world

SHELF, PROBLEM = 1002, 60  # seeds of the suites ``whole_arm`` and ``motion_bench_maker``
HAND = f"arm: {BUNDLED}/arms/ur5_robotiq85.yaml\ntool: {{payload: {{mass: 1.48, center_of_mass: [0, 0, 0.05]}}}}\n"
KINDS = {
    "shelf_before_after": {
        "from cell to cell, no finer steps": {
            "any_angle": False,
            "finer": False,
            "no_path_error": 0.0,
        },
        "by default: any angle, finer steps": {},
    },
    "blind": {"without approach": {}, "with approach": {"approach": 0.2}},
}
SIZE, FPS, LONGEST, REST = (960, 720), 12, 20.0, 2.0  # [pixels] of one of the two, [1/s], [s], [s]


def main(name: str = "shelf_before_after", out: Path = Path("docs/figures")) -> None:
    """Write a film into a folder, and print what became of both runs."""
    if name == "blind":
        world = parse_world(f"format: 1\n{HAND}map: {{space: joints}}\ntime_limit: 1000\n")
        world = suite_module("motion_bench_maker").problem(world, PROBLEM, "bookshelf_thin").world
    else:
        world = parse_world(suite_module("whole_arm").draw_text("shelf", SHELF))
    kinds = KINDS[name]
    world = world.with_changes(record=world.record.model_copy(update={"signals": "all"}))
    runs = [
        simulate(world.with_changes(planner=world.planner.model_copy(update=keys)))
        for keys in kinds.values()
    ]
    last, most = (
        max(run.summary[name] for run in runs)
        for name in ("simulated_time_s", "peak_contact_force_N")
    )
    for run in runs:
        run.summary["world"] = "shelf"
    speed = film_speed(last, LONGEST)
    with film_style():
        films = [Film(run, Cut(size=SIZE, fps=FPS)) for run in runs]
        for film, kind in zip(films, kinds, strict=True):
            film.speed = speed
            _arrange(film, kind)
            film.figure.axes[-1].set(xlim=(0.0, last), ylim=(0.0, 1.05 * most))
        times = np.arange(0.0, last + REST * speed, speed / FPS)
        frames = (np.hstack([film.draw(float(time)) for film in films]) for time in times)
        path = write_film(out / name, frames, len(times), FPS, size=(2 * SIZE[0], SIZE[1]))
    for kind, said in zip(kinds, [run.summary for run in runs], strict=True):
        print(
            f"{kind}: {said['outcome']}, {said['collision_count']} touches, {said['simulated_time_s']:.1f} s"
        )
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


def _arrange(film: Film, kind: str) -> None:
    """Say the kind in place of world and settings, and put the legend above the scene, which is as wide as the film."""
    (name, settings, *_), (legend,) = film.figure.texts, film.figure.legends
    name.set_text(kind)
    settings.remove()
    legend.remove()
    film.clock.set(x=0.46, fontsize="large")
    film.count.set(x=0.66, fontsize="large")
    film.banner.set_position((0.90, 0.965))
    film.panels[0].ax.set_position((0.0, 0.215, 1.0, 0.685))
    film.figure.legend(
        handles=legend.legend_handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.945),
        ncols=8,
        columnspacing=0.8,
    )


if __name__ == "__main__":
    typer.run(main)
