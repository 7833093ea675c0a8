// A card for each pipeline: queue depth, rate, ETA.

import { post } from "./api.js";
import { align, byId, draw, make, say, tell } from "./dom.js";
import { Pace, remaining } from "./pace.js";
import { count, duration, human, rate } from "./words.js";

const FIGURES = ["ready", "backing_off", "claimed", "failed", "total"];
const paces = new Map();

/** Show the status of the pipelines; `resting` names the final states of each. */
export function showQueues(pipelines, resting, titles, at = performance.now()) {
  const made = (one) => card(one, titles[one.pipeline] ?? "");
  align(byId("cards"), pipelines, (one) => one.pipeline, made, (element, one) => fill(element, one, resting, at));
}

function card(one, title) {
  const figure = (name) => make("div", {}, make("dt", {}, human(name)), make("dd", { "data-figure": name }, "0"));
  return make(
    "article",
    { class: "card", "aria-label": `Pipeline ${one.pipeline}` },
    make(
      "div",
      { class: "head" },
      make("h3", {}, one.pipeline, " ", make("span", { class: "badge", "data-part": "badge" })),
      make("button", { type: "button", "data-part": "pause", onclick: (event) => turn(event.currentTarget) }, "Pause"),
    ),
    make("p", {}, title),
    make("dl", { class: "figures" }, ...FIGURES.map(figure)),
    make("progress", { max: 100, value: 0, "aria-label": `Progress of ${one.pipeline}` }),
    make(
      "p",
      { class: "pace" },
      make("span", { "data-part": "rate" }, "–"),
      make("span", { "data-part": "eta" }),
      draw("svg", { class: "spark", viewBox: "0 0 120 24", preserveAspectRatio: "none", "aria-hidden": "true" },
        draw("polyline", { points: "" })),
    ),
  );
}

function fill(element, one, resting, at) {
  const part = (name) => element.querySelector(`[data-part="${name}"]`);
  for (const name of FIGURES) tell(element.querySelector(`[data-figure="${name}"]`), count(one[name]));
  const finished = resting.reduce((sum, [pipeline, state]) =>
    sum + (pipeline === one.pipeline ? (one.states[state] ?? 0) : 0), 0);
  if (!paces.has(one.pipeline)) paces.set(one.pipeline, new Pace());
  const pace = paces.get(one.pipeline);
  const perSecond = pace.see(finished, at);
  const left = one.ready + one.backing_off + one.claimed;
  tell(part("badge"), one.paused ? `paused${one.paused_reason ? `: ${one.paused_reason}` : ""}` : left ? "working" : "idle");
  part("badge").dataset.state = one.paused ? "waiting" : "good";
  tell(part("rate"), rate(perSecond));
  tell(part("eta"), ending(left, perSecond));
  const progress = element.querySelector("progress");
  progress.value = one.progress_percent;
  progress.title = `${one.progress_percent.toFixed(1)} %`;
  sparkle(element.querySelector("polyline"), pace.drawn);
  const button = part("pause");
  button.dataset.pipeline = one.pipeline;
  button.dataset.verb = one.paused ? "resume" : "pause";
  tell(button, one.paused ? "Resume" : "Pause");
  button.setAttribute("aria-label", `${one.paused ? "Resume" : "Pause"} ${one.pipeline}`);
}

function ending(left, perSecond) {
  if (left === 0) return "queue empty";
  if (perSecond === null) return "";
  const seconds = remaining(left, perSecond);
  return seconds === null ? "ETA unknown" : `done in ${duration(seconds)}`;
}

function sparkle(line, rates) {
  const most = Math.max(1, ...rates);
  line.setAttribute("points", rates.map((one, index) =>
    `${((index * 120) / Math.max(1, rates.length - 1)).toFixed(1)},${(23 - (one / most) * 22).toFixed(1)}`).join(" "));
}

async function turn(button) {
  const { pipeline, verb } = button.dataset;
  try {
    await post(`/pipelines/${encodeURIComponent(pipeline)}/${verb}`, verb === "pause" ? { reason: "by the dashboard" } : undefined);
    say(`${pipeline} is ${verb === "pause" ? "paused" : "resumed"}.`);
  } catch (error) {
    say(error.message);
  }
}
