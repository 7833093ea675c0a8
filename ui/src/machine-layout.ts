// Where the states of a machine stand: in layers from the first, one column each.

import type { Machine } from "./types";

export interface Box {
  name: string;
  x: number;
  y: number;
}

export const WIDTH = 150;
export const HEIGHT = 46;
const GAP_X = 70;
const GAP_Y = 26;

/** The shortest way from the first state decides the layer. */
export function layers(machine: Pick<Machine, "states" | "moves">): string[][] {
  const first = machine.states.find((one) => one.initial)?.name ?? machine.states[0]?.name;
  const depth = new Map<string, number>();
  let edge = first === undefined ? [] : [first];
  for (let layer = 0; edge.length; layer += 1) {
    for (const name of edge) depth.set(name, layer);
    edge = [...new Set(machine.moves.filter((one) => one.source !== null && edge.includes(one.source)).map((one) => one.target))]
      .filter((name) => !depth.has(name));
  }
  const most = Math.max(-1, ...depth.values());
  const found: string[][] = Array.from({ length: most + 1 }, () => []);
  for (const { name } of machine.states) {
    const layer = depth.get(name);
    if (layer === undefined) found.push([name]);
    else found[layer]!.push(name);
  }
  return found;
}

export function boxes(machine: Pick<Machine, "states" | "moves">): { boxes: Map<string, Box>; width: number; height: number } {
  const found = layers(machine);
  const tallest = Math.max(1, ...found.map((one) => one.length));
  const height = tallest * (HEIGHT + GAP_Y) + GAP_Y;
  const placed = new Map<string, Box>();
  found.forEach((names, layer) => names.forEach((name, at) => {
    const start = (height - names.length * (HEIGHT + GAP_Y) + GAP_Y) / 2;
    placed.set(name, { name, x: 10 + layer * (WIDTH + GAP_X), y: start + at * (HEIGHT + GAP_Y) });
  }));
  return { boxes: placed, width: 20 + found.length * (WIDTH + GAP_X) - GAP_X, height };
}
