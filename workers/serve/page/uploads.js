// Uploads and how far each has come, where the pipeline is there.

import { cypher } from "./api.js";
import { align, byId, make, tell } from "./dom.js";
import { count } from "./words.js";

const STATEMENT = `MATCH (u:Upload) RETURN u.upload_id AS id, u.filename AS name, u.state AS state,
  u.total_items AS total, u.processed_items AS done, u.failed_items AS failed, u.failure_reason AS reason
  ORDER BY u.seq DESC LIMIT 20`;
let seen = "";

/** Look again when the queue of uploads has moved, or while one is in work. */
export async function followUploads(pipelines) {
  const queue = pipelines.find((one) => one.pipeline === "upload");
  byId("uploads").hidden = byId("uploads-link").hidden = queue === undefined;
  if (!queue) return;
  const state = JSON.stringify(queue.states);
  const moving = ["initial_state", "validating", "processing"].some((name) => queue.states[name]);
  if (state === seen && !moving) return;
  seen = state;
  try {
    align(byId("upload-list"), await cypher(STATEMENT), (one) => one.id, row, fill);
  } catch (error) {
    seen = "";
    byId("upload-list").replaceChildren(make("li", {}, error.message));
  }
}

function row(one) {
  return make("li", {},
    make("strong", {}, one.name ?? one.id), " ", make("span", { class: "badge", "data-part": "state" }),
    make("progress", { max: 1, "aria-label": `Progress of ${one.name ?? one.id}` }),
    make("p", { class: "hint", "data-part": "told" }));
}

function fill(element, one) {
  const part = (name) => element.querySelector(`[data-part="${name}"]`);
  const [total, done, failed] = [one.total ?? 0, one.done ?? 0, one.failed ?? 0];
  tell(part("state"), one.state);
  part("state").dataset.state = one.state === "failed" ? "bad" : one.state === "completed" ? "good" : "waiting";
  const bar = element.querySelector("progress");
  bar.max = Math.max(1, total);
  bar.value = Math.min(total, done + failed);
  const reason = one.reason ? `: ${one.reason}` : "";
  tell(part("told"), `${count(done)} of ${count(total)} items, ${count(failed)} failed${reason}`);
}
