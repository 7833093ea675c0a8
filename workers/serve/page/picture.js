// The drawing of a node and what lies around it, to walk by clicking or by keyboard.

import { byId, draw } from "./dom.js";
import { rings, toward } from "./rings.js";
import { several, short } from "./words.js";

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
export const idOf = ({ label, key }) => JSON.stringify([label, key]);

/** Draw it; `colourOf` gives each label its colour, `walked` says where one has been. */
export function drawAround({ centre, others, edges }, { colourOf, walked, walkTo, back }) {
  const picture = byId("picture");
  const width = Math.max(280, picture.clientWidth);
  const height = Math.max(320, Math.min(560, width * 0.8));
  const { centre: middle, places } = rings(others.length, width, height);
  const drawn = [centre, ...others.slice(0, places.length)];
  const at = new Map(drawn.map((node, index) => [idOf(node), index ? places[index - 1] : middle]));
  const before = new Set([...picture.querySelectorAll("g.node")].map((node) => node.dataset.node));
  const hadFocus = picture.contains(document.activeElement);
  const lines = edges.filter((edge) => at.has(idOf(edge.source)) && at.has(idOf(edge.target)));
  const nodes = drawn.map((node) => circle(node, at.get(idOf(node)), {
    kind: colourOf(node.label), walked: walked.has(idOf(node)), isCentre: node === centre,
    fresh: before.size > 0 && !before.has(idOf(node)), types: typesOf(node, centre, lines),
  }));
  nodes.forEach((element, index) => {
    const go = () => (index ? walkTo(drawn[index].label, drawn[index].key, true) : undefined);
    element.addEventListener("click", go);
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") go();
      else if (event.key === "Backspace") back();
      else if (event.key in ARROWS) {
        const points = drawn.map((node) => at.get(idOf(node)));
        const next = toward(points, points[index], ...ARROWS[event.key]);
        if (next >= 0) focus(nodes, next);
      } else if (event.key === "Home") focus(nodes, 0);
      else return;
      event.preventDefault();
    });
  });
  const head = draw("marker", { id: "tip", viewBox: "0 0 8 8", refX: 16, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    draw("path", { d: "M0 0L8 4L0 8z", class: "head" }));
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", class: "graph",
    "aria-label": `${centre.label} ${centre.name} with ${several(drawn.length - 1, "neighbour")}`, "aria-describedby": "walk-hint" },
    draw("defs", {}, head), ...lines.map((edge) => line(edge, at)), ...nodes);
  picture.replaceChildren(svg);
  if (hadFocus) focus(nodes, 0);
  return drawn.length - 1;
}

function focus(nodes, index) {
  for (const node of nodes) node.setAttribute("tabindex", "-1");
  nodes[index].setAttribute("tabindex", "0");
  nodes[index].focus();
}

/** The relationships that join a node to the one in the middle. */
function typesOf(node, centre, edges) {
  const joins = (edge) => {
    const ends = [idOf(edge.source), idOf(edge.target)];
    return ends.includes(idOf(node)) && ends.includes(idOf(centre));
  };
  return [...new Set(edges.filter(joins).map((edge) => edge.type))];
}

function circle(node, { x, y }, { kind, walked, isCentre, fresh, types }) {
  const marks = [isCentre && "centre", walked && !isCentre && "walked", fresh && "fresh"].filter(Boolean);
  const classes = ["node", `kind-${kind}`, ...marks].join(" ");
  const told = isCentre ? `${node.label} ${node.name}, in the middle` : `${node.label} ${node.name}, by ${types.join(", ")}`;
  return draw("g", { class: classes, tabindex: isCentre ? 0 : -1, role: "button", "aria-label": told, "data-node": idOf(node) },
    draw("circle", { cx: x, cy: y, r: isCentre ? 15 : 9 }),
    draw("text", { x, y: y + (isCentre ? 30 : 22) }, short(node.name, isCentre ? 28 : 15)),
    draw("title", {}, `${node.label} ${node.name}`));
}

function line(edge, at) {
  const [from, to] = [at.get(idOf(edge.source)), at.get(idOf(edge.target))];
  return draw("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, class: "edge", "marker-end": "url(#tip)" },
    draw("title", {}, edge.type));
}
