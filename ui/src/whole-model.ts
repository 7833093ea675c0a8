// A whole graph as data: communities as large dots, or every row at a place that its community gives it.

import { colourOfDepth, colourOfState, KINDS } from "./graph-model";
import { type Points, rgb } from "./points";
import type { CommunityOverview, RowsDrawn } from "./types";

export type ColourBy = "community" | "state" | "depth";
/** More edges than this are left out of a drawing with reduced detail. */
export const MOST_EDGES = 400_000;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
/** Where the nth of many discs lies, without overlap, the first in the middle: a sunflower. */
export function sunflower(at: number, spacing: number): { x: number; y: number } {
  const far = spacing * Math.sqrt(at + 0.5);
  return { x: far * Math.cos(at * GOLDEN), y: far * Math.sin(at * GOLDEN) };
}

/** The middle of each community: the larger, the more room around it. */
export function middles(sizes: number[]): { x: number; y: number }[] {
  let area = 0;
  return sizes.map((size, at) => {
    const far = at ? 1.6 * Math.sqrt(area + size / 2) : 0;
    area += size;
    return { x: far * Math.cos(at * GOLDEN), y: far * Math.sin(at * GOLDEN) };
  });
}

export function ofCommunities(found: CommunityOverview): Points {
  const largest = Math.sqrt(found.communities[0]?.size ?? 1);
  const at = new Map(found.communities.map((one, place) => [one.id, place]));
  // The strongest alone: with all of them the picture is a ball of wool.
  const strongest = [...found.links].sort((a, b) => b.count - a.count).slice(0, 3 * found.communities.length);
  return points(middles(found.communities.map((one) => one.size)), {
    size: (place) => 4 + (30 * Math.sqrt(found.communities[place]!.size)) / largest,
    colour: (place) => KINDS[found.communities[place]!.id % KINDS.length]!,
    pairs: strongest.flatMap((one) => [at.get(one.source)!, at.get(one.target)!]), round: true,
  });
}

/** A place for each row: those of a community together, the best connected in its middle. */
export function places(found: RowsDrawn): { x: number; y: number }[] {
  const sizes: number[] = [];
  for (const group of found.groups) sizes[group] = (sizes[group] ?? 0) + 1;
  const groups = [...sizes.keys()].filter((group) => sizes[group]).sort((a, b) => sizes[b]! - sizes[a]!);
  const middle = new Map(middles(groups.map((group) => sizes[group]!)).map((one, at) => [groups[at]!, one]));
  const placed: number[] = [];
  return found.groups.map((group) => {
    const inside = (placed[group] = (placed[group] ?? -1) + 1);
    const [around, here] = [middle.get(group)!, sunflower(inside, 0.8)];
    return { x: around.x + here.x, y: around.y + here.y };
  });
}

/** With all detail for a few thousand, reduced for a hundred thousand. */
export function ofRows(found: RowsDrawn, by: ColourBy, reduced: boolean): Points {
  const degree = (at: number) => found.degrees[at]!;
  return points(places(found), {
    size: reduced ? (at) => 1 + Math.min(3, Math.log2(1 + degree(at)) / 3) : (at) => 4 + Math.min(12, 1.6 * Math.sqrt(degree(at))),
    colour: (at) => colour(found, at, by), pairs: found.pairs.length <= 2 * MOST_EDGES ? found.pairs : [], round: !reduced,
  });
}

interface Look {
  size: (at: number) => number;
  colour: (at: number) => string;
  pairs: number[];
  round: boolean;
}

function points(at: { x: number; y: number }[], look: Look): Points {
  const made: Points = {
    places: new Float32Array(2 * at.length), sizes: new Float32Array(at.length), colours: new Uint8Array(4 * at.length),
    lines: Uint32Array.from(look.pairs), round: look.round,
  };
  for (const [place, { x, y }] of at.entries()) {
    made.places.set([x, y], 2 * place);
    made.sizes[place] = look.size(place);
    made.colours.set([...rgb(look.colour(place)), 255], 4 * place);
  }
  return made;
}

export function colour(found: RowsDrawn, at: number, by: ColourBy): string {
  if (by === "state") return colourOfState(found.states[at]!);
  if (by === "depth") return colourOfDepth(found.depths[at]);
  return KINDS[found.groups[at]! % KINDS.length]!;
}
