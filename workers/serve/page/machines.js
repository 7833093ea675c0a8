// The machines, drawn from what the query files declare, with the count of rows on each state.

import { byId, draw, make, tell } from "./dom.js";
import { layers } from "./layers.js";
import { count, human } from "./words.js";

const BOX = { width: 132, height: 46 };
const GAP = { x: 28, y: 46, side: 72 };
let machines = [];
let chosen = "";

export function startMachines(found) {
  machines = found;
  chosen = machines.some((one) => one.pipeline === chosen) ? chosen : (machines[0]?.pipeline ?? "");
  byId("machine-choice").replaceChildren(...machines.map((one) =>
    make("button", { type: "button", "aria-pressed": one.pipeline === chosen, onclick: () => choose(one.pipeline) }, one.pipeline)));
  choose(chosen);
}

/** Bring the counts of the machine that is shown up to date. */
export function showCounts(pipelines) {
  const states = pipelines.find((one) => one.pipeline === chosen)?.states;
  if (!states) return;
  for (const text of byId("machine").querySelectorAll("[data-state-count]")) {
    tell(text, count(states[text.dataset.stateCount] ?? 0));
    text.closest("g").classList.toggle("empty", !states[text.dataset.stateCount]);
  }
}

function choose(pipeline) {
  chosen = pipeline;
  for (const button of byId("machine-choice").children) {
    button.setAttribute("aria-pressed", String(button.textContent === pipeline));
  }
  const machine = machines.find((one) => one.pipeline === pipeline);
  if (!machine) return;
  byId("machine").replaceChildren(picture(machine));
  byId("moves").replaceChildren(...table(machine));
  showCounts([{ pipeline, states: machine.counts }]);
}

function picture(machine) {
  const { rows, moves } = layers(machine);
  const widest = Math.max(...rows.map((row) => row.length));
  const width = widest * BOX.width + (widest - 1) * GAP.x + 2 * GAP.side;
  const height = rows.length * BOX.height + (rows.length - 1) * GAP.y + 20;
  const places = new Map();
  rows.forEach((row, layer) => {
    const taken = row.length * BOX.width + (row.length - 1) * GAP.x;
    row.forEach((name, index) => places.set(name, {
      x: (width - taken) / 2 + index * (BOX.width + GAP.x), y: 10 + layer * (BOX.height + GAP.y), layer,
    }));
  });
  const arrow = draw("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    draw("path", { d: "M0 0L8 4L0 8z", class: "head" }));
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": spoken(machine), class: "drawing" },
    draw("defs", {}, arrow), ...moves.map((move) => line(move, places, width)),
    ...machine.states.map((state) => box(state, places.get(state.name))));
}

const spoken = (machine) =>
  `The machine of ${machine.pipeline}: ${machine.states.map((state) => human(state.name)).join(", ")}. The table below lists its moves.`;

function box(state, { x, y }) {
  const kinds = ["initial", "final", "claimed"].filter((kind) => state[kind]).join(" ");
  return draw("g", { class: `state ${kinds} ${state.name === "failed" ? "bad" : ""}`, "data-state-name": state.name },
    draw("rect", { x, y, width: BOX.width, height: BOX.height, rx: 8 }),
    draw("text", { x: x + BOX.width / 2, y: y + 18, class: "name" }, human(state.name)),
    draw("text", { x: x + BOX.width / 2, y: y + 37, class: "count", "data-state-count": state.name }, "0"));
}

/** On to the next layer straight down; beside each other in an arc; further or back around the side. */
function line(move, places, width) {
  const [from, to] = [places.get(move.source), places.get(move.target)];
  const middle = (place) => place.x + BOX.width / 2;
  let path;
  if (to.layer === from.layer + 1) {
    const [x1, y1, x2, y2] = [middle(from), from.y + BOX.height, middle(to), to.y];
    path = `M${x1} ${y1}C${x1} ${y1 + 24} ${x2} ${y2 - 24} ${x2} ${y2}`;
  } else if (to.layer === from.layer) {
    const down = from.x < to.x ? 1 : -1;
    const y = down > 0 ? from.y + BOX.height : from.y;
    const [x1, x2, bent] = [middle(from) + 12 * down, middle(to) - 12 * down, y + 26 * down];
    path = `M${x1} ${y}C${x1} ${bent} ${x2} ${bent} ${x2} ${y}`;
  } else {
    const right = (middle(from) + middle(to)) / 2 >= width / 2;
    const edge = (place) => (right ? place.x + BOX.width : place.x);
    const reach = Math.min(14 + 9 * Math.abs(to.layer - from.layer), GAP.side - 6);
    // Clear of every box that stands between the two.
    const [upper, lower] = [Math.min(from.layer, to.layer), Math.max(from.layer, to.layer)];
    const passed = [...places.values()].filter((place) => place.layer >= upper && place.layer <= lower).map(edge);
    const far = right ? Math.max(...passed) + reach * 1.3 : Math.min(...passed) - reach * 1.3;
    const [y1, y2] = [from.y + BOX.height * 0.65, to.y + BOX.height * 0.35];
    path = `M${edge(from)} ${y1}C${far} ${y1} ${far} ${y2} ${edge(to)} ${y2}`;
  }
  return draw("path", { d: path, class: to.layer > from.layer ? "move" : "move back", "marker-end": "url(#arrow)" },
    draw("title", {}, `${human(move.source)} to ${human(move.target)}: ${move.names.join(", ")}`));
}

function table(machine) {
  const head = ["from", "to", "transition", "by hand", "purpose"];
  const cells = (move) => [move.source ?? "", move.target, move.transition || move.block, move.manual ? "yes" : "", move.purpose];
  return [
    make("caption", {}, `Moves of ${machine.pipeline}`),
    make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...machine.moves.map((move) => make("tr", {}, ...cells(move).map((text) => make("td", {}, text))))),
  ];
}
