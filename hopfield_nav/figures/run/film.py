"""The film of a run, frame by frame: what stays is drawn once, what moves is drawn on top.

Between the two lies what is settled from one touch to the next: the felt cells and the planned
path.
"""

from pathlib import Path
from pkgutil import resolve_name
from textwrap import shorten
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D

from dynamics import BadInput
from hopfield_nav import figures
from hopfield_nav.figures.film import Cut, Progress
from hopfield_nav.figures.palette import COLOURS
from hopfield_nav.figures.run.draw import run_note
from hopfield_nav.figures.run.film_panels import (
    MapPanel,
    Now,
    ScenePanel,
    StripPanel,
    presses,
    row_at,
)
from hopfield_nav.figures.saving import NOTE_GAP
from hopfield_nav.navigation import space_of
from hopfield_nav.record import Run, missed_contacts

_Panel = Any  # of film_panels, or one that the owner of the map has
WHOLE = Cut()
_LONGEST = 30.0  # [s] of film, where a speed of the list allows it
_FLASH = 0.6  # [s] of film that a collision glows
_SMALLEST = 9.5  # [pt] of letters: 13 pixels in a film of 720 lines
_LONGEST_NOTE = 100  # letters of the settings under the name
_REST = 1.5  # [s] of film that the last moment stays


def animate_run(
    run: Run,
    path: str | Path,
    progress: Progress | None = None,
    cut: Cut = WHOLE,
    two_processes: bool = False,
) -> Path:
    """Make the film of a run with recorded signals: ``<path>.mp4``.

    The arm from one side, the map from above, and the forces over time. The speed is written in the
    film: as fast as real, or a round multiple that keeps it within half a minute. An older film is
    replaced. After every frame ``progress`` is called with the number of frames done and of all. On
    request a copy of this process helps, see ``figures.two_processes``.

    Raises ``BadInput``: the run kept no signals, the cut is none of this run, or there is no
    ffmpeg; ``OSError``: the file cannot be written.
    """
    if not run.data.sizes["time"]:
        raise BadInput(
            "no film without signals", where="record.signals", found="none", allowed="all"
        )
    with figures.film_style():
        film = Film(run, cut)
        count = len(film.times)
        frames = (
            figures.draw_in_two_processes(film.frame, count)
            if two_processes
            else map(film.frame, range(count))
        )
        return figures.write_film(Path(path), frames, count, cut.fps, progress, cut.size)


class Film:
    """Frames of a run with signals, or of a part of it; made, and drawn, inside ``film_style()``."""

    def __init__(self, run: Run, cut: Cut = WHOLE) -> None:
        self.run, self.plans, self.missed = run, run.plans(), missed_contacts(run)
        self.end = float(run.data.time.values[-1])
        end = cut.until(self.end)
        self.speed = figures.film_speed(end - cut.begin, _LONGEST)
        rest = _REST * self.speed if end == self.end else 0.0
        # simulated time of every frame [s]; it goes on beyond the run's end, where the last moment
        # stays
        self.times = np.arange(cut.begin, end + rest, self.speed / cut.fps)
        self.figure = figures.film_figure(cut.size)
        self.canvas = FigureCanvasAgg(self.figure)
        place, space = self.figure.add_axes, space_of(run.world)
        if space.of_places:
            scene = [
                ScenePanel(place((0.0, 0.225, 0.60, 0.70)), run),
                MapPanel(place((0.655, 0.41, 0.335, 0.515)), run),
            ]
        else:  # what the owner of the map shows, else the arm alone
            panel = resolve_name(space.film_panel) if space.film_panel else ScenePanel
            scene = [panel(place((0.0, 0.225, 1.0, 0.72)), run)]
        self.panels: list[_Panel] = scene
        if presses(run):
            scene.append(StripPanel(place((0.055, 0.085, 0.935, 0.13)), run))
        self._write_texts()
        self._shown: tuple[int, bool] | None = None  # the plan's number, and whether a touch glows
        self._background: object | None = None
        self._settled: object | None = None

    def now(self, time: float) -> Now:
        """What there is to show at a simulated time [s]."""
        events = self.run.data.event_time.values
        count = int(np.searchsorted(events, time + 1e-9, side="right"))
        glow = _FLASH * self.speed
        flash = float(np.clip(1.0 - (time - events[count - 1]) / glow, 0.0, 1.0)) if count else 0.0
        missed = any(e.start <= time <= e.end + glow for e in self.missed)
        passed, slides = self.run.passed_by[:count], self.run.slides
        return Now(
            time, row_at(self.run, time), count, self.plans[count], collisions=int((~passed).sum()),
            graze=bool(passed[-1:].any()), flash=flash,
            slides=bool(np.any((slides[:, 0] <= time) & (time < slides[:, 1]))), missed=missed and flash <= 0,
        )  # fmt: skip

    def draw(self, time: float) -> np.ndarray:
        """The frame at a simulated time [s]: (height, width, 4) uint8."""
        now = self.now(time)
        shown = now.number, now.flash > 0
        changed = [panel.show(now, shown != self._shown) for panel in self.panels]
        self._say(now)
        self._blit(shown != self._shown or any(changed))
        self._shown = shown
        return figures.frame_of(self.canvas)

    def frame(self, number: int) -> np.ndarray:
        """The frame of a number, from 0."""
        return self.draw(float(self.times[number]))

    def _blit(self, unsettled: bool) -> None:
        settled = [artist for panel in self.panels for artist in panel.settled] + [self.count]
        moving = [artist for panel in self.panels for artist in panel.artists] + [
            self.clock,
            self.banner,
        ]
        if self._background is None:
            for artist in [*settled, *moving]:
                artist.set_animated(True)
            self.canvas.draw()
            self._background = self.canvas.copy_from_bbox(self.figure.bbox)
        if unsettled:
            self.canvas.restore_region(self._background)
            for artist in settled:
                self.figure.draw_artist(artist)
            self._settled = self.canvas.copy_from_bbox(self.figure.bbox)
        self.canvas.restore_region(self._settled)
        for artist in moving:
            self.figure.draw_artist(artist)

    def _write_texts(self) -> None:
        figure = self.figure
        name, *settings = run_note(self.run).split(NOTE_GAP)
        figure.text(0.012, 0.955, name, fontsize="large", weight="bold")
        note = shorten(NOTE_GAP.join(settings), _LONGEST_NOTE, placeholder=" …")
        figure.text(0.012, 0.925, note, fontsize=_SMALLEST, color=COLOURS.ink)
        self.clock = figure.text(0.30, 0.955, "", fontsize="large")
        self.count = figure.text(0.48, 0.955, "", fontsize="large")
        self.banner = figure.text(0.30, 0.90, "", ha="center", va="center", weight="bold")
        # of every mark in the panels
        rings = {COLOURS.goal: "touch"} if self.run.data.sizes["event"] else {}
        rings |= {COLOURS.missed: "missed contact"} if self.missed else {}
        marks = [
            Line2D([], [], marker="o", mfc="none", mec=c, mew=2, ls="", label=name)
            for c, name in rings.items()
        ]
        strip, _ = self.panels[-1].ax.get_legend_handles_labels()
        figure.legend(
            handles=[*self.panels[0].handles, *marks, *strip], ncols=3, loc="upper center", fontsize=_SMALLEST,
            bbox_to_anchor=(0.82, 0.33), columnspacing=0.9, handlelength=1.2, labelspacing=0.3, borderaxespad=0,
        )  # fmt: skip

    def _say(self, now: Now) -> None:
        self.clock.set_text(f"{min(now.time, self.end):6.2f} s  ({self.speed}×)")
        self.count.set_text("1 touch" if now.collisions == 1 else f"{now.collisions} touches")
        text, colour = "", "white"
        if now.flash > 0:
            text, colour = "graze" if now.graze else f"touch {now.collisions}", COLOURS.goal
        elif now.slides:
            text, colour = "slides", COLOURS.felt
        elif now.missed:
            text, colour = "missed contact", COLOURS.missed
        elif now.time >= self.end:
            text = self.run.outcome.replace("_", " ")
            colour = COLOURS.start if self.run.outcome == "reached" else COLOURS.excluded
        self.banner.set_visible(bool(text))
        self.banner.set_text(text)
        self.banner.set_color(COLOURS.ink if colour == COLOURS.missed else "white")
        self.banner.set_bbox(
            {"facecolor": colour, "edgecolor": "none", "boxstyle": "round,pad=0.4"}
        )
