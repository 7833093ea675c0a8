// What failed and why, and the way back into the queue.

import { get, post } from "./api.js";
import { align, byId, choices, make, say, tell } from "./dom.js";
import { ago, count, several } from "./words.js";

const MOST = 100;
let shown = { pipeline: "", failed: -1 };

/** Look again where the number of failures has changed; a pipeline with failures is chosen by itself at first. */
export function followFailures(pipelines) {
  const select = byId("failures-pipeline");
  const first = select.options.length === 0;
  choices(select, pipelines.map((one) => one.pipeline));
  if (first) select.value = (pipelines.find((one) => one.failed) ?? pipelines[0])?.pipeline ?? "";
  const chosen = pipelines.find((one) => one.pipeline === select.value);
  if (chosen && (chosen.pipeline !== shown.pipeline || chosen.failed !== shown.failed)) {
    shown = { pipeline: chosen.pipeline, failed: chosen.failed };
    look();
  }
}

export function startFailures() {
  byId("failures-form").addEventListener("submit", (event) => {
    event.preventDefault();
    look();
  });
  byId("failures-pipeline").addEventListener("change", look);
  byId("requeue-all").addEventListener("click", requeueAll);
}

const path = (verb) => `/pipelines/${encodeURIComponent(byId("failures-pipeline").value)}/${verb}`;

async function look() {
  try {
    const rows = await get(path("failed"), { contains: byId("failures-contains").value, limit: MOST });
    align(byId("failed"), rows, (one) => one.key, row, fill);
    byId("requeue-all").disabled = rows.length === 0;
    tell(byId("failures-told"), rows.length === 0 ? "Nothing has failed here." :
      rows.length < MOST ? `${count(rows.length)} failed.` : `The first ${count(MOST)}.`);
  } catch (error) {
    tell(byId("failures-told"), error.message);
  }
}

function row(one) {
  return make("li", {},
    make("div", { class: "what" }, make("strong", {}, one.key), " ", make("span", { "data-part": "when", class: "hint" }),
      make("p", { "data-part": "reason", class: "reason" }),
      make("details", {}, make("summary", {}, "Every attempt"), make("ol", { "data-part": "attempts" }))),
    make("button", { type: "button", "aria-label": `Requeue ${one.key}`, onclick: (event) => requeue(event.currentTarget, one.key) },
      "Requeue"));
}

function fill(element, one) {
  const part = (name) => element.querySelector(`[data-part="${name}"]`);
  tell(part("when"), `${several(one.retry_count, "attempt")}, ${ago(one.failed_at)}`);
  tell(part("reason"), one.reason ?? "no reason was kept");
  element.querySelector("details").hidden = one.failures.length === 0;
  part("attempts").replaceChildren(...one.failures.map((failure) =>
    make("li", {}, `attempt ${failure.attempt}, ${failure.kind}, ${ago(failure.at)}: ${failure.message}`,
      failure.trace ? make("pre", { tabindex: "0", "aria-label": "Trace" }, failure.trace) : null)));
}

async function requeue(button, key) {
  const item = button.closest("li");
  const next = item.nextElementSibling ?? item.previousElementSibling;
  button.disabled = true;
  try {
    const { requeued } = await post(path("requeue"), { keys: [key] });
    say(requeued ? `${key} is back in the queue.` : `${key} had not failed any longer.`);
    item.remove();
    (next?.querySelector("button") ?? byId("failures-title")).focus();
  } catch (error) {
    say(error.message);
    button.disabled = false;
    button.focus();
  }
}

async function requeueAll() {
  const contains = byId("failures-contains").value;
  try {
    const { requeued } = await post(path("requeue"), contains ? { contains } : { everything: true });
    say(`${count(requeued)} put back into the queue.`);
    await look();
    byId("failures-title").focus();
  } catch (error) {
    say(error.message);
  }
}
