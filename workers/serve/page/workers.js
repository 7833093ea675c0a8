// Who works: the daemon's own workers, and whoever holds claims from another process.

import { align, byId, make, tell } from "./dom.js";
import { ago, count, several } from "./words.js";

/** Own workers first; a holder of claims that is not one of them runs elsewhere. */
export function showWorkers({ workers, holders }) {
  const own = new Map(workers.map((one) => [one.name, { ...one, claims: 0, where: "here" }]));
  const others = [];
  for (const holder of holders) {
    const mine = own.get(holder.worker);
    if (mine) {
      mine.claims += holder.claims;
      mine.heartbeat_at = holder.heartbeat_at ?? mine.heartbeat_at;
    } else {
      others.push({ pipeline: holder.pipeline, name: holder.worker ?? "unknown", state: "working", claims: holder.claims,
        heartbeat_at: holder.heartbeat_at, where: "elsewhere" });
    }
  }
  const all = [...own.values(), ...others];
  align(byId("worker-list"), all, (one) => `${one.pipeline} ${one.name}`, row, fill);
}

function row(one) {
  const part = (name) => make("span", { "data-part": name });
  return make("li", {}, make("strong", {}, one.pipeline), " ", make("code", {}, one.name), " ",
    make("span", { class: "badge", "data-part": "state" }), part("beat"), part("done"), part("error"));
}

function fill(element, one) {
  const part = (name) => element.querySelector(`[data-part="${name}"]`);
  const working = one.state === "working";
  tell(part("state"), one.where === "here" ? one.state : `${one.state} in another process`);
  part("state").dataset.state = working ? "good" : one.state === "resting" ? "bad" : "waiting";
  tell(part("beat"), one.heartbeat_at ? `heartbeat ${ago(one.heartbeat_at)}` : "no heartbeat yet");
  const done = one.done === undefined ? "" : `${count(one.done)} done, `;
  const restarts = one.restarts ? `, restarted ${several(one.restarts, "time")}` : "";
  tell(part("done"), `${done}${count(one.claims)} claimed${restarts}`);
  tell(part("error"), one.last_error ? `last error: ${one.last_error}` : "");
}
