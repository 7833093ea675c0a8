// Uploads, where the pipeline is there: a file goes in, and how far each has come.

import { get, post, send } from "./api.js";
import { align, byId, make, say, tell } from "./dom.js";
import { count, several } from "./words.js";

const MOST = 20;
const ERRORS = 50;
const MOVING = ["initial_state", "uploaded", "validating", "validated", "processing"];
// What may be tried again by hand, from which state.
const AGAIN = { partial_success: ["retry", "Retry what failed"], failed: ["reset", "Start over"] };
let seen = "";

export function startUploads() {
  byId("upload-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const [file] = byId("upload-file").files;
    const sent = byId("upload-sent");
    const button = event.currentTarget.querySelector("button");
    [sent.value, sent.hidden, button.disabled] = [0, false, true];
    try {
      const upload = await send("/uploads", "file", file, (share) => { sent.value = share; });
      say(`${upload.filename} is uploaded.`);
      await look();
    } catch (error) {
      say(error.message);
    }
    [sent.hidden, button.disabled] = [true, false];
  });
}

/** Look again when the queue of uploads has moved, or while one is in work. */
export async function followUploads(pipelines) {
  const queue = pipelines.find((one) => one.pipeline === "upload");
  byId("uploads").hidden = byId("uploads-link").hidden = queue === undefined;
  if (!queue) return;
  const state = JSON.stringify(queue.states);
  if (state === seen && !MOVING.some((name) => queue.states[name])) return;
  try {
    await look();
    seen = state;
  } catch (error) {
    if (error.status !== 503) say(error.message);
  }
}

async function look() {
  align(byId("upload-list"), await get("/uploads", { limit: MOST }), (one) => one.upload_id, row, fill);
}

function row(one) {
  return make("li", {},
    make("strong", {}, one.filename), " ", make("span", { class: "badge", "data-part": "state" }),
    make("progress", { max: 1, "aria-label": `Progress of ${one.filename}` }),
    make("p", { class: "hint", "data-part": "told" }),
    make("button", { type: "button", "data-part": "again", hidden: true, onclick: (event) => again(event.currentTarget, one) }),
    make("details", { hidden: true, ontoggle: (event) => event.currentTarget.open && errors(event.currentTarget, one) },
      make("summary", {}, "What was wrong"), make("ul", {})));
}

function fill(element, one) {
  const part = (name) => element.querySelector(`[data-part="${name}"]`);
  tell(part("state"), one.state);
  part("state").dataset.state = one.state === "failed" ? "bad" : one.state === "completed" ? "good" : "waiting";
  const bar = element.querySelector("progress");
  bar.max = Math.max(1, one.total_items);
  bar.value = Math.min(one.total_items, one.processed_items + one.failed_items);
  const reason = one.failure_reason ? `: ${one.failure_reason}` : "";
  tell(part("told"), `${count(one.processed_items)} of ${several(one.total_items, "item")}, ${count(one.failed_items)} failed${reason}`);
  const [step, text] = AGAIN[one.state] ?? [];
  part("again").hidden = step === undefined;
  part("again").dataset.step = step ?? "";
  tell(part("again"), text ?? "");
  element.querySelector("details").hidden = one.failed_items === 0;
}

async function again(button, one) {
  try {
    await post(`/uploads/${encodeURIComponent(one.upload_id)}/${button.dataset.step}`);
    say(`${one.filename} is being retried.`);
    await look();
  } catch (error) {
    say(error.message);
  }
}

async function errors(details, one) {
  try {
    const found = await get(`/uploads/${encodeURIComponent(one.upload_id)}/errors`, { limit: ERRORS });
    details.querySelector("ul").replaceChildren(...found.map((error) =>
      make("li", {}, `item ${error.index}${error.field ? `, ${error.field}` : ""}: ${error.message}`)));
  } catch (error) {
    say(error.message);
  }
}
