"use strict";
// The arm in space with its obstacles, what it felt, its path and the forces. `makeScene(host, view)` gives
// `show(moment)`, `toggle(name, on)`, `resize()`, and `camera`, `controls`, `groups` for whoever looks closer.

const METRES_PER_NEWTON = 0.005;
const LONGEST_ARROW = 0.3; // [m]
const WEAKEST = 0.5; // [N] not drawn below
const FROM = [0.53, 0.85, 0.62]; // where the eye is, seen from what it looks at: before the arm, at its left

function cornersOf(low, high) {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => vector([0, 1, 2].map((axis) => ((i >> axis) & 1 ? high : low)[axis])));
}

function cornersAround(geometry) {
  geometry.computeBoundingBox();
  return cornersOf(geometry.boundingBox.min.toArray(), geometry.boundingBox.max.toArray());
}

function hasEnds(solid) {
  return solid.kind !== "floor" && (solid.kind !== "cylinder" || Boolean(solid.height));
}

/** Points that the picture must hold: map, tool, ends, solids (with a map known ones), the arm in all its poses. */
function pointsToSee(view) {
  const points = [vector([0, 0, 0]), vector(view.start)];
  for (const values of [view.tool, view.poses.position]) {
    for (let k = 0; k < values.length; k += 3) points.push(vector(values.slice(k, k + 3)));
  }
  if (view.goal) points.push(vector(view.goal));
  if (view.map) points.push(...cornersOf(...view.map.ends));
  for (const solid of view.solids.filter((other) => (other.known || !view.map) && hasEnds(other))) {
    points.push(...cornersAround(solidGeometry(solid)));
  }
  return points;
}

/** Move the camera along and across its direction until all points just fit, with a rim. */
function fitCamera(camera, target, points) {
  const rim = 1.14, right = new THREE.Vector3(), up = new THREE.Vector3(), back = new THREE.Vector3();
  for (let round = 0; round < 8; round++) {
    camera.lookAt(target);
    camera.updateMatrixWorld();
    camera.matrixWorld.extractBasis(right, up, back);
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    for (const point of points) {
      const seen = point.clone().project(camera).toArray();
      for (const i of [0, 1]) {
        low[i] = Math.min(low[i], seen[i]);
        high[i] = Math.max(high[i], seen[i]);
      }
    }
    const distance = camera.position.distanceTo(target), half = distance * Math.tan((camera.fov * Math.PI) / 360);
    const shift = right.multiplyScalar(((low[0] + high[0]) / 2) * half * camera.aspect)
      .addScaledVector(up, ((low[1] + high[1]) / 2) * half);
    target.add(shift);
    const grow = (rim * Math.max(high[0] - low[0], high[1] - low[1])) / 2;
    camera.position.add(shift).addScaledVector(back, (grow - 1) * distance);
  }
}

function makeScene(host, view) {
  const colours = view.colours, groups = {};
  const scene = new THREE.Scene(), points = pointsToSee(view);
  const room = new THREE.Box3().setFromPoints(points), floors = view.solids.filter((solid) => solid.kind === "floor");
  points.push(...floors.flatMap((floor) => cornersAround(solidGeometry(floor, room))));
  const size = room.getSize(new THREE.Vector3()).length();
  scene.background = new THREE.Color("#ffffff");
  scene.add(new THREE.HemisphereLight("#ffffff", "#a4a4b0", 2.5));
  const sun = new THREE.DirectionalLight("#ffffff", 1.5);
  sun.position.set(0.6, -0.9, 1.6);
  scene.add(sun);
  for (const name of ["arm", "obstacles", "map", "felt", "path", "trail", "forces", "frames"]) {
    groups[name] = new THREE.Group();
    scene.add(groups[name]);
  }
  const camera = new THREE.PerspectiveCamera(35, 1, 0.01, 50);
  camera.up.set(0, 0, 1);
  const middle = room.getCenter(new THREE.Vector3());
  camera.position.copy(middle).addScaledVector(vector(FROM).normalize(), 1.5 * size);
  const renderer = new THREE.WebGLRenderer({ antialias: true });
  host.appendChild(renderer.domElement);
  const controls = new THREE.OrbitControls(camera, renderer.domElement);
  controls.target.copy(middle);
  let fitted = false;

  const draw = () => renderer.render(scene, camera);
  const parts = [
    addArm(groups.arm, groups.frames, view, colours),
    addSolids(groups.obstacles, view, colours, room),
    view.map ? addPlans(groups, view, colours) : addPlaces(groups.felt, view),
    addTool(groups, view, colours, size),
    addForces(groups.forces, view),
  ];
  groups.frames.visible = false; // until its box is ticked
  if (view.map) addGrid(groups.map, view.map, colours, size);
  controls.addEventListener("change", draw);

  return {
    camera, controls, groups,
    show(moment) { parts.forEach((show) => show(moment)); draw(); },
    toggle(name, on) { if (groups[name]) groups[name].visible = on; draw(); },
    resize() {
      const width = host.clientWidth, height = host.clientHeight;
      renderer.setPixelRatio(window.devicePixelRatio);
      renderer.setSize(width, height);
      camera.aspect = width / Math.max(1, height);
      camera.updateProjectionMatrix();
      if (!fitted) fitCamera(camera, controls.target, points);
      fitted = true;
      controls.update();
      draw();
    },
  };
}

const AXIS = 0.12; // [m] length of the axes of a frame

/** The three axes of a link's frame, seen through the arm. */
function frameAxes(colours) {
  const axes = new THREE.Group();
  [colours.goal, colours.start, colours.felt].forEach((color, k) => {
    const end = [0, 0, 0];
    end[k] = AXIS;
    const geometry = new THREE.BufferGeometry().setFromPoints([vector([0, 0, 0]), vector(end)]);
    const line = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color, depthTest: false }));
    line.renderOrder = 10;
    axes.add(line);
  });
  return axes;
}

/** The arm's parts, each in the frame of its link; and the axes of these frames. */
function addArm(group, axes, view, colours) {
  const links = view.poses.position.length / (3 * view.time.length);
  const frames = Array.from({ length: links }, () => group.add(new THREE.Group()).children.slice(-1)[0]);
  const shown = frames.map(() => frameAxes(colours));
  shown.forEach((each) => axes.add(each));
  for (const part of view.arm) {
    const material = new THREE.MeshLambertMaterial({ color: colours[part.kind] });
    frames[part.link].add(new THREE.Mesh(turnedGeometry(part), material));
  }
  const next = new THREE.Quaternion();
  return ({ k, share }) => frames.forEach((frame, i) => {
    const at = k * links + i;
    frame.position.set(...row3(view.poses.position, at));
    frame.quaternion.fromArray(view.poses.turn, 4 * at).normalize();
    if (share > 0) {
      frame.position.lerp(vector(row3(view.poses.position, at + links)), share);
      frame.quaternion.slerp(next.fromArray(view.poses.turn, 4 * (at + links)).normalize(), share);
    }
    shown[i].position.copy(frame.position);
    shown[i].quaternion.copy(frame.quaternion);
  });
}

/** Known obstacles; unknown ones, faint until they are touched. */
function addSolids(group, view, colours, room) {
  const inSpace = view.map && view.map.shape.length === 3;
  const plane = view.map ? view.map.ends[0][2] : room.min.z;
  const heights = inSpace || !view.map ? [room.min.z, room.max.z] : [plane - 0.05, plane + 0.1];
  const unknown = [];
  for (const solid of view.solids) {
    const floor = solid.kind === "floor";
    const material = new THREE.MeshLambertMaterial({
      color: floor ? "#efebe4" : colours.obstacle, transparent: true, opacity: floor ? 0.7 : 0.9,
      depthWrite: solid.known, side: floor ? THREE.DoubleSide : 0,
    });
    const geometry = solidGeometry(solid, room, heights);
    const edges = new THREE.LineSegments(
      new THREE.EdgesGeometry(geometry, 30), new THREE.LineBasicMaterial({ color: "#999999", transparent: true }));
    const mesh = new THREE.Mesh(geometry, material);
    group.add(mesh, edges);
    if (!solid.known) unknown.push({ solid, material, mesh, edges });
  }
  return ({ time }) => unknown.forEach(({ solid, material, mesh, edges }) => {
    mesh.visible = edges.visible = stands(solid, time);
    const touched = solid.touched !== null && time >= solid.touched;
    material.opacity = touched ? 0.62 : 0.14;
    edges.material.opacity = touched ? 0.9 : 0.35;
  });
}

/** What changes with a plan: felt cells, closed steps, path. */
function addPlans(groups, view, colours) {
  const map = view.map;
  let shown = null;
  return ({ plan }) => {
    if (plan === shown) return;
    shown = plan;
    empty(groups.felt);
    empty(groups.path);
    addCells(groups.felt, map, plan.felt, colours.felt, map.alpha);
    for (let k = 0; k < plan.certainty.length; k++) {
      addClosedStep(groups.felt, map, plan.steps[2 * k], plan.steps[2 * k + 1], plan.certainty[k] >= 1, colours);
    }
    if (plan.path.length > 1) {
      const centres = plan.path.map((cell) => cellCentre(map, cell));
      const material = new THREE.MeshBasicMaterial({ color: colours.planned });
      groups.path.add(new THREE.Mesh(tubeGeometry(centres, 0.05 * map.spacing), material));
    }
  };
}

/** Cells as cubes, or as plates on a plane. */
function addCells(group, map, cells, colour, alpha) {
  if (!cells.length) return;
  const side = map.spacing * 0.98, inSpace = map.shape.length === 3;
  const geometry = new THREE.BoxGeometry(side, side, inSpace ? side : 0.1 * side);
  const material = new THREE.MeshLambertMaterial({ color: colour, transparent: true, opacity: alpha, depthWrite: false });
  const cubes = new THREE.InstancedMesh(geometry, material, cells.length);
  cubes.frustumCulled = false;
  cells.forEach((cell, k) => cubes.setMatrixAt(k, new THREE.Matrix4().setPosition(...cellCentre(map, cell))));
  group.add(cubes);
}

/** A closed step as a plate across it: thick for a fact, thin for a belief. */
function addClosedStep(group, map, from, to, fact, colours) {
  const a = vector(cellCentre(map, from)), b = vector(cellCentre(map, to));
  const wide = 0.84 * map.spacing, high = map.shape.length === 3 ? wide : 0.5 * map.spacing;
  const geometry = new THREE.BoxGeometry((fact ? 0.16 : 0.05) * map.spacing, high, wide);
  const material = new THREE.MeshLambertMaterial({ color: colours.felt, transparent: !fact, opacity: fact ? 1 : 0.6 });
  const plate = new THREE.Mesh(geometry, material);
  const along = b.clone().sub(a).normalize(), up = new THREE.Vector3(0, 0, 1);
  const across = Math.abs(along.z) > 0.9 ? new THREE.Vector3(1, 0, 0) : up.clone().cross(along).normalize();
  plate.setRotationFromMatrix(new THREE.Matrix4().makeBasis(along, along.clone().cross(across), across));
  plate.position.copy(a.add(b).multiplyScalar(0.5));
  group.add(plate);
}

/** Planned line, trail up to now, start, goal and tool point. */
function addTool(groups, view, colours, size) {
  const points = view.time.map((_, k) => row3(view.tool, k)), radius = 0.0022 * size;
  const ball = (colour, at, share) => {
    const mesh = new THREE.Mesh(new THREE.SphereGeometry(share * size, 20, 14), new THREE.MeshLambertMaterial({ color: colour }));
    mesh.position.copy(vector(at));
    return mesh;
  };
  if (view.planned) {
    groups.path.add(new THREE.Mesh(tubeGeometry(points, 0.6 * radius), new THREE.MeshBasicMaterial({ color: colours.planned })));
  }
  groups.map.add(ball(colours.start, view.start, 0.011));
  if (view.goal) groups.map.add(ball(colours.goal, view.goal, 0.011));
  const tube = tubeGeometry(points, radius);
  const trail = new THREE.Mesh(tube, new THREE.MeshBasicMaterial({ color: colours.travelled }));
  const tool = ball(colours.travelled, view.start, 0.009);
  trail.frustumCulled = false;
  groups.trail.add(trail, tool);
  return ({ k, share }) => {
    tube.setDrawRange(0, indicesOfTube(k));
    tool.position.set(...between3(view.tool, k, share));
  };
}

/** True and estimated force as arrows. */
function addForces(group, view) {
  const arrows = view.forces.map(({ colour, at, force }) => {
    const arrow = makeArrow(colour, 0.004);
    group.add(arrow);
    return { arrow, at, force };
  });
  return ({ k }) => arrows.forEach(({ arrow, at, force }) => {
    const along = vector(row3(force, k));
    arrow.visible = along.length() > WEAKEST;
    if (arrow.visible) {
      along.multiplyScalar(METRES_PER_NEWTON).clampLength(0, LONGEST_ARROW);
      arrow.point(vector(row3(at, k)), along);
    }
  });
}

/** The map's lowest plane with its cells, and round numbers along two edges. */
function addGrid(group, map, colours, size) {
  const [left, right, low, high] = map.extent, z = map.ends[0][2], points = [];
  const [nx, ny] = map.shape;
  const fine = Math.max(nx, ny) <= 80;
  for (let i = 0; i <= nx; i += fine ? 1 : nx) {
    const x = left + (i * (right - left)) / nx;
    points.push(vector([x, low, z]), vector([x, high, z]));
  }
  for (let j = 0; j <= ny; j += fine ? 1 : ny) {
    const y = low + (j * (high - low)) / ny;
    points.push(vector([left, y, z]), vector([right, y, z]));
  }
  const lines = new THREE.BufferGeometry().setFromPoints(points);
  group.add(new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ color: colours.grid })));
  if (map.shape.length === 3) {
    const box = new THREE.BoxGeometry(...[0, 1, 2].map((i) => map.ends[1][i] - map.ends[0][i]))
      .translate(...[0, 1, 2].map((i) => (map.ends[1][i] + map.ends[0][i]) / 2));
    group.add(new THREE.LineSegments(new THREE.EdgesGeometry(box), new THREE.LineBasicMaterial({ color: colours.grid })));
    roundNumbers(map.ends[0][2], map.ends[1][2]).forEach((value) =>
      group.add(makeLabel(`z ${value} m`, [left - 0.02 * size, high + 0.02 * size, value], 0.022 * size)));
  }
  roundNumbers(left, right).forEach((x) => group.add(makeLabel(`x ${x} m`, [x, high + 0.03 * size, z], 0.022 * size)));
  roundNumbers(low, high).forEach((y) => group.add(makeLabel(`y ${y} m`, [right + 0.03 * size, y, z], 0.022 * size)));
}

function empty(group) {
  while (group.children.length) {
    const child = group.children[0];
    group.remove(child);
    child.geometry.dispose();
    child.material.dispose();
  }
}
