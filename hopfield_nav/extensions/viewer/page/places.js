"use strict";
// Where on the arm its touches may have been, on a map of joint angles: a ball each, faint where that is unlikely.

const FELT_RADIUS = 0.02; // [m]
const FAINTEST = 0.06;

/** Balls that appear with their touch and stay. */
function addPlaces(group, view) {
  const geometry = new THREE.SphereGeometry(FELT_RADIUS, 20, 14);
  const balls = view.places.map(({ time, point, weight }) => {
    const opacity = Math.max(FAINTEST, 0.9 * weight);
    const material = new THREE.MeshLambertMaterial({
      color: view.colours.felt, transparent: true, opacity, depthWrite: false,
    });
    const ball = new THREE.Mesh(geometry, material);
    ball.position.copy(vector(point));
    group.add(ball);
    return { ball, since: time };
  });
  return ({ time }) => balls.forEach(({ ball, since }) => { ball.visible = time >= since; });
}
