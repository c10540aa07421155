"use strict";
// A run that is still going: load the page again when there is more, and look from the same place.

const KEPT = "hopfield-nav-live";
const PAUSE = 500; // [ms] between two questions

function rememberPlace({ clock, scene }) {
  const place = { time: clock.time, atEnd: clock.time >= clock.end };
  if (scene) Object.assign(place, { eye: scene.camera.position.toArray(), to: scene.controls.target.toArray() });
  sessionStorage.setItem(KEPT, JSON.stringify(place));
}

function takePlace({ clock, scene }) {
  const place = JSON.parse(sessionStorage.getItem(KEPT) || "null") || { atEnd: true };
  if (scene && place.eye) {
    scene.camera.position.fromArray(place.eye);
    scene.controls.target.fromArray(place.to);
    scene.controls.update();
  }
  clock.seek(place.atEnd ? clock.end : place.time);
}

async function followRun(page) {
  takePlace(page);
  for (;;) {
    await new Promise((done) => setTimeout(done, PAUSE));
    const version = await fetch("version").then((answer) => answer.json()).catch(() => null);
    if (version === null) return; // the run was interrupted
    if (version > page.view.live.version && !page.clock.playing) {
      rememberPlace(page);
      location.reload();
      return;
    }
  }
}

if (window.hopfieldView.view.live) followRun(window.hopfieldView);
else if (location.protocol === "http:" && sessionStorage.getItem(KEPT)) takePlace(window.hopfieldView);
