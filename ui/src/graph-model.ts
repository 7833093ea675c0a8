// The drawing as data: nodes with places, edges, kinds; and pictures of it.

import Graph from "graphology";
import type { Around, End, Node } from "./types";

export const idOf = ({ label, key }: End): string => `${label}\u0000${key}`;
export const KINDS = ["#2f8f62", "#2f7fc1", "#d97706", "#a855c7", "#d24b40", "#14a098", "#8a8f2f", "#6b7280"];

const PATH = "#d97706";
const DEPTHS = ["#14532d", "#1d6b45", "#2f8f62", "#57ae83", "#8ac9a8", "#b9dfcb"];
const STATES: [RegExp, string][] = [[/fail|error/, "#d24b40"], [/skip|exclud/, "#8a8f2f"], [/claim|ing$/, "#2f7fc1"], [/process|complet|done|loaded/, "#2f8f62"]];

export const colourOfState = (state: string): string => STATES.find(([one]) => one.test(state))?.[1] ?? "#6b7280";
export const colourOfDepth = (depth: unknown): string => (typeof depth === "number" ? DEPTHS[Math.min(depth, DEPTHS.length - 1)]! : "#6b7280");

/** The same text always falls on the same place: a drawing that is drawn again looks the same. */
export function place(text: string): number {
  let hash = 2166136261;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return (hash >>> 0) / 2 ** 32;
}

export class Drawing {
  readonly graph = new Graph({ multi: true, type: "directed" });
  readonly kinds: string[] = [];

  colourOf(label: string): string {
    if (!this.kinds.includes(label)) this.kinds.push(label);
    return KINDS[this.kinds.indexOf(label) % KINDS.length]!;
  }

  /** Put in what lies around a node; what is there already stays where it is. Returns how many nodes are new. */
  add(found: Around): number {
    const before = this.graph.order;
    const centre = idOf(found.node);
    if (!this.graph.hasNode(centre)) this.#node(found.node, 0, 0, this.graph.order ? 12 : 0);
    const at = this.graph.getNodeAttributes(centre);
    for (const node of found.nodes) if (!this.graph.hasNode(idOf(node))) this.#node(node, at.x, at.y, 6);
    this.graph.mergeNodeAttributes(centre, { expanded: true, properties: found.node.properties, size: Math.max(at.size, 8) });
    for (const edge of found.edges) this.#edge(edge.type, edge.source, edge.target);
    return this.graph.order - before;
  }

  /** Put in all of these, around the middle. */
  addAll({ nodes, edges }: Pick<Around, "nodes" | "edges">): void {
    for (const node of nodes) if (!this.graph.hasNode(idOf(node))) this.#node(node, 0, 0, 4 * Math.sqrt(nodes.length));
    for (const edge of edges) this.#edge(edge.type, edge.source, edge.target);
  }

  /** Put in the nodes of a way and what joins them. Returns how many nodes are new. */
  addPath({ nodes, edges }: Pick<Around, "nodes" | "edges">): number {
    const before = this.graph.order;
    const from = nodes[0] && this.graph.hasNode(idOf(nodes[0])) ? this.graph.getNodeAttributes(idOf(nodes[0])) : { x: 0, y: 0 };
    nodes.forEach((node, step) => {
      if (!this.graph.hasNode(idOf(node))) this.#node(node, from.x + 10 * step, from.y, 4);
      this.graph.mergeNodeAttributes(idOf(node), { size: 9, forceLabel: true });
    });
    for (const edge of edges) this.#edge(edge.type, edge.source, edge.target, { size: 3, color: PATH });
    return this.graph.order - before;
  }

  paint(by: "kind" | "state" | "depth"): void {
    this.graph.forEachNode((id, one) => this.graph.setNodeAttribute(id, "color", by === "kind" ? this.colourOf(one.kind)
      : by === "state" ? colourOfState(String(one.properties.expansion_state ?? one.properties.state ?? "")) : colourOfDepth(one.properties.expansion_depth)));
  }

  hide(wanted: (label: string, properties: Record<string, unknown>) => boolean): void {
    this.graph.forEachNode((id, one) => this.graph.setNodeAttribute(id, "hidden", !wanted(one.kind, one.properties)));
  }

  toSvg(width = 1200, height = 900): string {
    const nodes = this.graph.filterNodes((_, one) => !one.hidden);
    const all = nodes.map((id) => this.graph.getNodeAttributes(id));
    const [left, right] = [Math.min(...all.map((one) => one.x)), Math.max(...all.map((one) => one.x))];
    const [top, bottom] = [Math.min(...all.map((one) => one.y)), Math.max(...all.map((one) => one.y))];
    const scale = Math.min((width - 120) / (right - left || 1), (height - 60) / (bottom - top || 1));
    const x = (value: number) => (60 + (value - left) * scale).toFixed(1);
    const y = (value: number) => (height - 30 - (value - top) * scale).toFixed(1);
    const text = (value: string) => value.replace(/[<>&"\u0000-\u0008]/g, (one) => (one < " " ? "" : `&#${one.charCodeAt(0)};`));
    const lines: string[] = [];
    this.graph.forEachEdge((_, __, source, target, from, to) => {
      if (!from.hidden && !to.hidden && source !== target) lines.push(`<line x1="${x(from.x)}" y1="${y(from.y)}" x2="${x(to.x)}" y2="${y(to.y)}" stroke="#b6bdb8"/>`);
    });
    const dots = all.map((one) => `<circle cx="${x(one.x)}" cy="${y(one.y)}" r="${one.size}" fill="${one.color}"><title>${text(`${one.kind} ${one.label}`)}</title></circle>`
      + `<text x="${x(one.x)}" y="${(Number(y(one.y)) - one.size - 3).toFixed(1)}" font-size="11" text-anchor="middle" font-family="sans-serif">${text(String(one.label))}</text>`);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="white"/>${lines.join("")}${dots.join("")}</svg>\n`;
  }

  #node(node: Node, x: number, y: number, spread: number): void {
    const id = idOf(node);
    const angle = 2 * Math.PI * place(id);
    const far = spread * (0.4 + 0.6 * place(`${id} `));
    this.graph.addNode(id, {
      x: x + far * Math.cos(angle), y: y + far * Math.sin(angle), size: 5, label: node.name, color: this.colourOf(node.label),
      kind: node.label, key: node.key, properties: node.properties, expanded: false, hidden: false,
    });
  }

  #edge(type: string, source: End, target: End, look: Record<string, unknown> = {}): void {
    const id = `${type}\u0001${idOf(source)}\u0001${idOf(target)}`;
    if (!this.graph.hasEdge(id) && this.graph.hasNode(idOf(source)) && this.graph.hasNode(idOf(target))) {
      this.graph.addEdgeWithKey(id, idOf(source), idOf(target), { label: type, size: 1, ...look });
    } else if (this.graph.hasEdge(id)) this.graph.mergeEdgeAttributes(id, look);
  }
}
