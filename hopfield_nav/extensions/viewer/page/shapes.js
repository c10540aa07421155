"use strict";
// Shapes for the scene: the arm's parts, solids of the world file, tubes along points, arrows, written labels.

const SIDES = 24;
const UP = new THREE.Vector3(0, 1, 0); // along which three.js makes cylinders

function vector(values) {
  return new THREE.Vector3(values[0], values[1], values[2]);
}

/** What an outline, rows of a radius and a distance, makes as it turns about the line from start along. */
function turnedGeometry({ start, along, outline }) {
  const profile = outline.map(([radius, distance]) => new THREE.Vector2(radius, distance));
  const turn = new THREE.Quaternion().setFromUnitVectors(UP, vector(along));
  return new THREE.LatheGeometry(profile, 2 * SIDES)
    .applyMatrix4(new THREE.Matrix4().compose(vector(start), turn, new THREE.Vector3(1, 1, 1)));
}

/** A solid of the world file; what has no end is cut to the box {min, max} of the scene. */
function solidGeometry(solid, box, heights) {
  if (solid.kind === "sphere") {
    return new THREE.SphereGeometry(solid.radius, SIDES, SIDES / 2).translate(...solid.center);
  }
  if (solid.kind === "box") {
    const [a, b, c] = solid.rotation, [x, y, z] = solid.center;
    const pose = new THREE.Matrix4().set(...a, x, ...b, y, ...c, z, 0, 0, 0, 1);
    return new THREE.BoxGeometry(...solid.size).applyMatrix4(pose);
  }
  if (solid.kind === "mesh") {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(solid.triangles.flat(2)), 3));
    geometry.computeVertexNormals();
    return geometry;
  }
  if (solid.kind === "cylinder") {
    const [low, high] = solid.height || heights;
    return new THREE.CylinderGeometry(solid.radius, solid.radius, high - low, 2 * SIDES)
      .rotateX(Math.PI / 2).translate(solid.center[0], solid.center[1], (low + high) / 2);
  }
  const size = box.getSize(new THREE.Vector3()), middle = box.getCenter(new THREE.Vector3());
  return new THREE.PlaneGeometry(size.x + 0.3, size.y + 0.3).translate(middle.x, middle.y, solid.height);
}

/** A tube through points; `setDrawRange(0, indicesOfTube(k))` shows it up to point k. */
function tubeGeometry(points, radius) {
  const around = 6, places = [], index = [];
  const along = new THREE.Vector3(1, 0, 0), across = new THREE.Vector3(), third = new THREE.Vector3();
  points.forEach((point, k) => {
    const step = vector(points[Math.min(k + 1, points.length - 1)]).sub(vector(points[Math.max(k - 1, 0)]));
    if (step.lengthSq() > 1e-16) along.copy(step).normalize();
    across.set(-along.y, along.x, 0);
    if (across.lengthSq() < 1e-6) across.set(1, 0, 0);
    third.crossVectors(along, across.normalize());
    for (let i = 0; i < around; i++) {
      const angle = (2 * Math.PI * i) / around;
      const out = across.clone().multiplyScalar(Math.cos(angle)).addScaledVector(third, Math.sin(angle));
      places.push(...vector(point).addScaledVector(out, radius).toArray());
    }
    for (let i = 0; k > 0 && i < around; i++) {
      const a = (k - 1) * around + i, b = (k - 1) * around + ((i + 1) % around);
      index.push(a, b, a + around, b, b + around, a + around);
    }
  });
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(places), 3));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(index), 1));
  return geometry;
}

function indicesOfTube(k) {
  return 36 * k;
}

/** An arrow that is seen through everything; `point(at, along)` sets it. */
function makeArrow(colour, thickness) {
  const arrow = new THREE.Group(), material = new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true });
  const shaft = new THREE.Mesh(new THREE.CylinderGeometry(thickness, thickness, 1, 10).translate(0, 0.5, 0), material);
  const head = new THREE.Mesh(new THREE.ConeGeometry(3 * thickness, 8 * thickness, 14), material);
  arrow.add(shaft, head);
  arrow.point = (at, along) => {
    const length = along.length();
    arrow.position.copy(at);
    arrow.quaternion.setFromUnitVectors(UP, along.clone().divideScalar(length));
    shaft.scale.y = length;
    head.position.y = length;
  };
  return arrow;
}

/** A written label that faces the eye, so many metres high. */
function makeLabel(text, at, height) {
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
  const font = "40px system-ui, sans-serif";
  pen.font = font;
  canvas.width = Math.ceil(pen.measureText(text).width) + 8;
  canvas.height = 52;
  pen.font = font;
  pen.fillStyle = "#444";
  pen.fillText(text, 4, 40);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.generateMipmaps = false;
  texture.minFilter = THREE.LinearFilter;
  const label = new THREE.Sprite(new THREE.SpriteMaterial({ map: texture, depthTest: false }));
  label.position.copy(vector(at));
  label.scale.set((height * canvas.width) / canvas.height, height, 1);
  return label;
}
