// Nodes and relationships among the values of a query's result, to be drawn.

import { shown } from "./format";
import type { End, Node } from "./types";

export const MOST_DRAWN = 5000;
const NAMES = ["title", "name", "filename", "heading", "text", "key", "id", "hnId", "url"];

export interface Found {
  nodes: Node[];
  edges: { type: string; source: End; target: End }[];
  cut: boolean;
}

type Value = Record<string, unknown>;

/** The engine's own number of a node: a text, or a place in a table. */
function idText(id: unknown): string {
  if (typeof id !== "object" || id === null) return String(id);
  const { table, offset } = id as { table?: unknown; offset?: unknown };
  return `${table}:${offset}`;
}

function named(properties: Value, fallback: string): string {
  const name = NAMES.find((one) => properties[one] !== undefined && properties[one] !== null && properties[one] !== "");
  return name ? String(properties[name]).slice(0, 80) : fallback;
}

/** A value of a result in one line: a node by its kind and name, a relationship by its kind, anything else as text. */
export function cell(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(cell).join(", ")}]`;
  const one = value as Value;
  if (typeof value !== "object" || value === null || typeof one._label !== "string") return shown(value);
  return "_src" in one ? `[${one._label}]` : `(${one._label} ${named(one, "")})`;
}

/** Every node and every relationship whose two ends are in the result, wherever in a row they stand. */
export function drawable(rows: unknown[][]): Found {
  const nodes = new Map<string, Node>();
  const edges = new Map<string, { type: string; source: string; target: string }>();
  let cut = false;
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > 6) return;
    if (Array.isArray(value)) return value.forEach((one) => look(one, depth + 1));
    const one = value as Value;
    if (typeof one._label !== "string") return Object.values(one).forEach((inner) => look(inner, depth + 1));
    if ("_src" in one) {
      const [source, target] = [idText(one._src), idText(one._dst)];
      edges.set(`${one._label} ${idText(one._id ?? `${source} ${target}`)}`, { type: one._label, source, target });
    } else if ("_id" in one) {
      const key = idText(one._id);
      if (nodes.has(key)) return;
      if (nodes.size >= MOST_DRAWN) return void (cut = true);
      const properties = Object.fromEntries(Object.entries(one).filter(([name, inner]) => !name.startsWith("_") && inner !== null));
      nodes.set(key, { label: one._label, key, name: named(properties, one._label), properties });
    }
  };
  rows.forEach((row) => look(row, 0));
  const end = (key: string): End => ({ label: nodes.get(key)!.label, key });
  const joined = [...edges.values()].filter(({ source, target }) => nodes.has(source) && nodes.has(target));
  return { nodes: [...nodes.values()], edges: joined.map(({ type, source, target }) => ({ type, source: end(source), target: end(target) })), cut };
}
