// Walking the graph: where one is, what lies around, and the way back.

import { get } from "./api.js";
import { byId, choices, draw, make, say, tell } from "./dom.js";
import { drawAround, idOf } from "./picture.js";
import { human, several } from "./words.js";

const MOST = 60;
// Numbers by which the queue guards itself; they tell a reader nothing.
const INNER = new Set(["seq", "due", "lease", "lost_claims", "failure_count"]);
const NEWS_MS = 3000;
const trail = [];
const walked = new Map(); // where one has been, with the edges seen from there
const colours = []; // kinds of nodes in the order in which they were first seen
let here = null;
let kinds = [];
let looked = 0;

export function startWalk(machines, tables) {
  kinds = tables.filter((one) => one.kind === "NODE").map((one) => one.name);
  choices(byId("walk-label"), kinds);
  byId("walk-label").value = machines[0]?.label ?? kinds[0];
  byId("walk-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const key = byId("walk-key").value.trim();
    if (key) walkTo(byId("walk-label").value, key);
  });
  byId("walk-back").addEventListener("click", back);
  new ResizeObserver(() => here && show()).observe(byId("picture"));
}

/** Somewhere to begin: the first article, once there is one. */
export async function beginWalk() {
  if (here) return;
  const { articles } = await get("/articles", { limit: 1 });
  if (articles.length && !here) await walkTo("Article", articles[0].title, false, true);
}

/** Go to a node; `kept` says that the keyboard stays in the drawing. */
export async function walkTo(label, key, kept = false, quiet = false) {
  try {
    const found = await get("/neighbourhood", { label, key, limit: MOST });
    if (here && idOf(here.node) !== idOf(found.node)) trail.push(here.node);
    arrive(found);
    if (!quiet || document.activeElement !== byId("walk-key")) name(found.node); // what somebody types stays
    if (!quiet) say(`${found.node.label} ${found.node.name}: ${several(found.nodes.length - 1, "neighbour")}.`);
    if (!kept && !quiet) byId("walk").scrollIntoView({ block: "start" });
  } catch (error) {
    say(error.message);
  }
}

export async function back() {
  const before = trail.pop();
  if (!before) return;
  try {
    arrive(await get("/neighbourhood", { label: before.label, key: before.key, limit: MOST }));
    name(before);
    say(`Back at ${before.label} ${before.name}.`);
  } catch (error) {
    say(error.message);
  }
}

/** The graph grows: look again at what lies around, now and then, where somebody can see it. */
export async function lookAgain(now = performance.now()) {
  if (!here || document.hidden || now - looked < NEWS_MS) return;
  looked = now;
  const { node } = here;
  try {
    const found = await get("/neighbourhood", { label: node.label, key: node.key, limit: MOST });
    const same = JSON.stringify(found) === JSON.stringify(here);
    if (!same && idOf(here.node) === idOf(node)) arrive(found);
  } catch (error) {
    if (error.status !== 404 && error.status !== 503) throw error; // gone, or the service is about to end
  }
}

function arrive(found) {
  here = found;
  walked.set(idOf(found.node), found.edges);
  byId("walk-back").disabled = trail.length === 0;
  show();
}

function name({ label, key }) {
  byId("walk-label").value = label;
  byId("walk-key").value = key;
}

function show() {
  const { node, nodes, edges } = here;
  const others = nodes.filter((one) => idOf(one) !== idOf(node));
  const there = new Set(nodes.map(idOf));
  // What was seen from elsewhere between nodes that are here now belongs to the drawing too.
  const between = [...walked.values()].flat().filter((edge) => there.has(idOf(edge.source)) && there.has(idOf(edge.target)));
  const all = [...new Map([...edges, ...between].map((edge) => [JSON.stringify(edge), edge])).values()];
  const drawn = drawAround({ centre: node, others, edges: all }, { colourOf, walked, walkTo, back });
  tell(byId("node-name"), `${node.label} ${node.name}`);
  byId("node-properties").replaceChildren(...Object.entries(node.properties).filter(([name]) => !INNER.has(name))
    .flatMap(([name, value]) => [make("dt", {}, human(name)), make("dd", {}, String(value))]));
  tell(byId("neighbours-title"), several(others.length, "neighbour") + (drawn < others.length ? `, ${drawn} of them drawn` : ""));
  const shown = [...new Set(nodes.map((one) => one.label))];
  byId("legend").replaceChildren(...shown.map((label) =>
    make("li", { class: `kind-${colourOf(label)}` }, draw("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" },
      draw("circle", { cx: 6, cy: 6, r: 5 })), label)));
  byId("neighbours").replaceChildren(...edges.map((edge) => neighbour(edge, node, nodes)));
}

function colourOf(label) {
  if (!colours.includes(label)) colours.push(label);
  return colours.indexOf(label) % 8;
}

function neighbour(edge, node, nodes) {
  const outward = idOf(edge.source) === idOf(node);
  const end = outward ? edge.target : edge.source;
  const other = nodes.find((one) => idOf(one) === idOf(end)) ?? { ...end, name: end.key };
  return make("li", {},
    make("span", { class: "hint" }, outward ? `${edge.type} to ` : `${edge.type} from `),
    make("button", { type: "button", class: "link", onclick: () => walkTo(end.label, end.key, true) }, other.name));
}
