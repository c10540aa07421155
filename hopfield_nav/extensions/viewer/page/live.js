"use strict";
// A run that is still going: load the page again, and look from the same place.

const KEPT = "hopfield-nav-live" + location.pathname;
const PAUSE = 2000; // [ms] between two loads

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

function followRun(page) {
  setInterval(() => {
    if (page.clock.playing) return;
    rememberPlace(page);
    location.reload();
  }, PAUSE);
}

if (window.hopfieldView.view.live) followRun(window.hopfieldView);
if (window.hopfieldView.view.live || sessionStorage.getItem(KEPT)) takePlace(window.hopfieldView);
sessionStorage.removeItem(KEPT);
