// A drawing of very many nodes. It is drawn on a sheet larger than its frame, with names; moving shifts the sheet, which
// costs the same for any number of nodes, and it is drawn again where the sheet ends and when it rests.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { short } from "../format";
import { type Camera, fit, grown, nearest, type Points, PointRenderer } from "../points";

interface Props {
  points: Points;
  names: string[];
  label: string;
  choose: (at: number) => void;
}

const REST_MS = 160;
/** The sheet is so many times as wide and high as the frame. */
const SHEET = 2;
/** More lines are left out while it moves. */
const LINES_MOVED = 40_000;
const REACH_PX = 9;
const NAMED = 2000;
const [CELL_WIDTH, CELL_HEIGHT, LONGEST] = [24, 22, 30];

export default function PointsCanvas({ points, names, label, choose }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const shapes = useRef<HTMLCanvasElement>(null);
  const texts = useRef<HTMLCanvasElement>(null);
  const view = useRef<View | null>(null);
  const [failed, setFailed] = useState(false);
  const now = useRef(choose);
  now.current = choose;
  // A context that was lost can't be had again: every drawing has a canvas of its own.
  const key = useMemo(() => Math.random(), [points]);
  useEffect(() => {
    if (!box.current || !shapes.current || !texts.current) return;
    try {
      const made = new View(box.current, shapes.current, texts.current, points, names, (at) => now.current(at));
      view.current = made;
      return () => made.close();
    } catch {
      setFailed(true);
      return undefined;
    }
  }, [points]);
  if (failed) return <p class="canvas hint" role="note">This browser has no WebGL: the list beside shows the best connected.</p>;
  return (
    <>
      <div class="canvas points" ref={box} role="img" data-nodes={names.length} data-edges={points.lines.length / 2} aria-label={label}>
        <div class="sheet"><canvas key={`shapes${key}`} ref={shapes} /><canvas key={`texts${key}`} ref={texts} /></div>
      </div>
      <div class="bar" role="group" aria-label="View">
        <button type="button" onClick={() => view.current?.zoom(1.5)}>Zoom in</button>
        <button type="button" onClick={() => view.current?.zoom(1 / 1.5)}>Zoom out</button>
        <button type="button" onClick={() => view.current?.all()}>All</button>
      </div>
    </>
  );
}

class View {
  #camera: Camera = { x: 0, y: 0, scale: 1 };
  #drawn: Camera | null = null;
  #frame = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #size = { width: 1, height: 1 };
  readonly #renderer: PointRenderer;
  readonly #watch: ResizeObserver;
  readonly #ending = new AbortController();

  constructor(readonly box: HTMLElement, readonly shapes: HTMLCanvasElement, readonly texts: HTMLCanvasElement,
    readonly points: Points, readonly names: string[], readonly choose: (at: number) => void) {
    this.#renderer = new PointRenderer(shapes, points);
    this.#listen();
    this.#watch = new ResizeObserver(() => this.#measure());
    this.#watch.observe(box);
    this.#measure();
    this.all();
  }

  all(): void {
    this.#camera = fit(this.points.places, this.#size.width, this.#size.height);
    this.#moved();
  }

  zoom(by: number, x = this.#size.width / 2, y = this.#size.height / 2): void {
    const before = this.#inDrawing(x, y);
    this.#camera.scale = Math.min(200, Math.max(0.01, this.#camera.scale * by));
    const after = this.#inDrawing(x, y);
    this.#camera.x += before.x - after.x;
    this.#camera.y += before.y - after.y;
    this.#moved();
  }

  close(): void {
    this.#ending.abort();
    this.#watch.disconnect();
    clearTimeout(this.#rest);
    cancelAnimationFrame(this.#frame);
    this.#renderer.close();
  }

  #listen(): void {
    const options = { signal: this.#ending.signal };
    let from: { x: number; y: number; moved: boolean } | null = null;
    this.box.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, y: event.clientY, moved: false };
      if (event.isTrusted) this.box.setPointerCapture(event.pointerId);
    }, options);
    this.box.addEventListener("pointermove", (event) => {
      if (!from) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (!from.moved && Math.hypot(dx, dy) < 4) return;
      from = { x: event.clientX, y: event.clientY, moved: true };
      this.#camera.x -= dx / this.#camera.scale;
      this.#camera.y += dy / this.#camera.scale;
      this.#moved();
    }, options);
    this.box.addEventListener("pointerup", (event) => {
      if (from && !from.moved) this.#click(event);
      from = null;
    }, options);
    this.box.addEventListener("pointercancel", () => { from = null; }, options);
    this.box.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.box.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
    }, { ...options, passive: false });
  }

  #click(event: PointerEvent): void {
    const box = this.box.getBoundingClientRect();
    const at = this.#inDrawing(event.clientX - box.left, event.clientY - box.top);
    const found = nearest(this.points.places, at.x, at.y, REACH_PX / this.#camera.scale);
    if (found !== null) this.choose(found);
  }

  #inDrawing(x: number, y: number): { x: number; y: number } {
    const { scale } = this.#camera;
    return { x: this.#camera.x + (x - this.#size.width / 2) / scale, y: this.#camera.y - (y - this.#size.height / 2) / scale };
  }

  #measure(): void {
    const { clientWidth: width, clientHeight: height } = this.box;
    const ratio = window.devicePixelRatio || 1;
    this.#size = { width: width || 1, height: height || 1 };
    for (const canvas of [this.shapes, this.texts]) {
      canvas.width = Math.round(SHEET * this.#size.width * ratio);
      canvas.height = Math.round(SHEET * this.#size.height * ratio);
    }
    this.#drawn = null;
    this.#moved();
  }

  #moved(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.#shift()) this.#draw(this.points.lines.length <= 2 * LINES_MOVED);
      clearTimeout(this.#rest);
      this.#rest = setTimeout(() => this.#draw(true), REST_MS);
    });
  }

  /** Move the sheet as it is; false where it does not reach. */
  #shift(): boolean {
    const [drawn, camera] = [this.#drawn, this.#camera];
    if (!drawn) return false;
    const zoom = camera.scale / drawn.scale;
    const [x, y] = [(drawn.x - camera.x) * camera.scale, (camera.y - drawn.y) * camera.scale];
    const reach = (SHEET * zoom - 1) / 2;
    if (zoom > 2 || zoom < 0.55 || Math.abs(x) > reach * this.#size.width || Math.abs(y) > reach * this.#size.height) return false;
    (this.shapes.parentElement as HTMLElement).style.transform = `translate(${x}px, ${y}px) scale(${zoom})`;
    return true;
  }

  /** In a narrow frame points are smaller. */
  #grow(): number {
    const whole = fit(this.points.places, this.#size.width, this.#size.height).scale;
    return grown(this.#camera, whole) * Math.min(1, Math.max(0.4, this.#size.width / 700));
  }

  #draw(lines: boolean): void {
    this.#drawn = { ...this.#camera };
    this.#shift();
    this.#renderer.draw(this.#camera, lines, this.#grow());
    this.#name();
  }

  /** The names of the best connected, where no other name stands. */
  #name(): void {
    const context = this.texts.getContext("2d")!;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.texts.width / ratio, this.texts.height / ratio];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(this.box);
    context.font = `12px ${style.fontFamily}`;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = style.getPropertyValue("--panel");
    context.fillStyle = style.getPropertyValue("--ink");
    const taken = new Set<string>();
    const grow = this.#grow() / 2;
    for (let at = 0, left = NAMED; at < this.names.length && left; at += 1) {
      const x = (this.points.places[2 * at]! - this.#camera.x) * this.#camera.scale + width / 2;
      const y = (this.#camera.y - this.points.places[2 * at + 1]!) * this.#camera.scale + height / 2;
      if (x < 0 || y < 10 || x > width || y > height) continue;
      left -= 1;
      const away = this.points.sizes[at]! * grow + 4;
      const name = short(this.names[at]!, LONGEST);
      // On the other side of its point where it would run out of the frame.
      const long = context.measureText(name).width;
      const beside = x + away + long > width && x - away - long > 0 ? x - away - long : x + away;
      const [row, first, last] = [Math.floor(y / CELL_HEIGHT), Math.floor(Math.min(x, beside) / CELL_WIDTH), Math.floor((beside + long) / CELL_WIDTH)];
      const covered = Array.from({ length: last - first + 1 }, (_, place) => `${first + place} ${row}`);
      if (covered.some((patch) => taken.has(patch))) continue;
      covered.forEach((patch) => taken.add(patch));
      context.strokeText(name, beside, y + 4);
      context.fillText(name, beside, y + 4);
    }
  }
}
