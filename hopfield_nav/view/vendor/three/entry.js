export { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
export {
  Box3, BoxBufferGeometry, BufferAttribute, BufferGeometry, CanvasTexture, Color, ConeBufferGeometry,
  CylinderBufferGeometry, DirectionalLight, DoubleSide, EdgesGeometry, Group, HemisphereLight, InstancedMesh,
  LatheBufferGeometry, LinearFilter, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial,
  MeshLambertMaterial, PerspectiveCamera, PlaneBufferGeometry, Quaternion, REVISION, Scene, SphereBufferGeometry,
  Sprite, SpriteMaterial, Vector2, Vector3, WebGLRenderer,
} from "three/build/three.module.js";
