// Points and lines by WebGL, for drawings of 100,000 nodes: one call a frame, nothing read back.

export interface Camera {
  x: number;
  y: number;
  /** Pixels for one unit of the drawing. */
  scale: number;
}

export interface Points {
  /** x, y of each, one after the other. */
  places: Float32Array;
  sizes: Float32Array;
  colours: Uint8Array;
  /** Places among the points, two for each line. */
  lines: Uint32Array;
  /** Discs, not squares: dearer. */
  round: boolean;
}

const VERTEX = `
attribute vec2 place; attribute float size; attribute vec4 colour;
uniform vec2 middle; uniform vec2 stretch; uniform float grow;
varying vec4 shade;
void main() { gl_Position = vec4((place - middle) * stretch, 0.0, 1.0); gl_PointSize = max(1.0, size * grow); shade = colour; }`;
const FRAGMENT = `
precision mediump float;
varying vec4 shade; uniform float faint; uniform bool round;
void main() {
  float far = round ? length(gl_PointCoord - 0.5) : 0.0;
  if (far > 0.5) discard;
  gl_FragColor = vec4(shade.rgb, 1.0) * faint;
}`;

export const rgb = (colour: string): [number, number, number] => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) as [number, number, number];

/** Points grow when somebody comes nearer than where all is seen, slower than the drawing does. */
export const grown = (camera: Camera, whole: number): number => Math.min(6, Math.max(1, Math.sqrt(camera.scale / whole)));

/** The camera that shows all of them. */
export function fit(places: Float32Array, width: number, height: number): Camera {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let at = 0; at < places.length; at += 2) {
    left = Math.min(left, places[at]!);
    right = Math.max(right, places[at]!);
    top = Math.min(top, places[at + 1]!);
    bottom = Math.max(bottom, places[at + 1]!);
  }
  if (left > right) return { x: 0, y: 0, scale: 1 };
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.min(width / (right - left || 1), height / (bottom - top || 1)) * 0.92 };
}

/** The point that is nearest to a place in the drawing, if one is that near. */
export function nearest(places: Float32Array, x: number, y: number, reach: number): number | null {
  let [best, found] = [reach * reach, -1];
  for (let at = 0; at < places.length; at += 2) {
    const [dx, dy] = [places[at]! - x, places[at + 1]! - y];
    const far = dx * dx + dy * dy;
    if (far < best) [best, found] = [far, at / 2];
  }
  return found < 0 ? null : found;
}

export class PointRenderer {
  readonly #gl: WebGLRenderingContext;
  readonly #program: WebGLProgram;
  readonly #at: Record<string, WebGLUniformLocation | null>;
  readonly #count: number;
  readonly #lines: number;
  readonly #round: number;

  constructor(canvas: HTMLCanvasElement, points: Points) {
    const gl = canvas.getContext("webgl", { antialias: false, depth: false, stencil: false, premultipliedAlpha: true, preserveDrawingBuffer: false });
    if (!gl) throw new Error("no WebGL");
    this.#gl = gl;
    this.#program = program(gl);
    gl.useProgram(this.#program);
    this.#at = Object.fromEntries(["middle", "stretch", "grow", "faint", "round"].map((name) => [name, gl.getUniformLocation(this.#program, name)]));
    this.#count = points.sizes.length;
    this.#round = Number(points.round);
    this.#lines = gl.getExtension("OES_element_index_uint") ? points.lines.length : 0;
    this.#attribute("place", points.places, 2, gl.FLOAT, false);
    this.#attribute("size", points.sizes, 1, gl.FLOAT, false);
    this.#attribute("colour", points.colours, 4, gl.UNSIGNED_BYTE, true);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, points.lines, gl.STATIC_DRAW);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  draw(camera: Camera, lines: boolean, grow: number): void {
    const gl = this.#gl;
    const { width, height } = gl.canvas;
    const ratio = window.devicePixelRatio || 1;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.#at.middle!, camera.x, camera.y);
    gl.uniform2f(this.#at.stretch!, (2 * camera.scale * ratio) / width, (2 * camera.scale * ratio) / height);
    gl.uniform1f(this.#at.grow!, ratio * grow);
    if (lines && this.#lines) {
      gl.uniform1i(this.#at.round!, 0);
      gl.uniform1f(this.#at.faint!, Math.min(0.5, Math.max(0.08, 20 / Math.sqrt(this.#lines))));
      gl.drawElements(gl.LINES, this.#lines, gl.UNSIGNED_INT, 0);
    }
    gl.uniform1i(this.#at.round!, this.#round);
    gl.uniform1f(this.#at.faint!, 1);
    gl.drawArrays(gl.POINTS, 0, this.#count);
  }

  close(): void {
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  #attribute(name: string, values: Float32Array | Uint8Array, each: number, kind: number, normalized: boolean): void {
    const gl = this.#gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values as Float32Array<ArrayBuffer>, gl.STATIC_DRAW);
    const at = gl.getAttribLocation(this.#program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, each, kind, normalized, 0, 0);
  }
}

function program(gl: WebGLRenderingContext): WebGLProgram {
  const made = gl.createProgram()!;
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) ?? "the shaders do not link");
  return made;
}
