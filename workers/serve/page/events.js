// The service's events as they happen. Read by fetch, since the browser's own EventSource can't send a token.

import { request } from "./api.js";

const AGAIN_MS = 2000;
// The service sends a line every ten seconds; after three times that, the connection is taken for dead.
const SILENT_MS = 30_000;

export function listen(onEvent, onLine) {
  let heard = false;
  const again = () => setTimeout(run, AGAIN_MS);

  async function run() {
    const given = new AbortController();
    let watch = setTimeout(() => given.abort(), SILENT_MS);
    try {
      const answer = await request("GET", "/events", undefined, given.signal);
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      onLine(true, heard);
      heard = true;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        clearTimeout(watch);
        watch = setTimeout(() => given.abort(), SILENT_MS);
        text = take(text + value, onEvent);
      }
    } catch (error) {
      if (error.status === 401) {
        onLine(false, heard);
        return; // nobody wants to give the token: the page says so and stays quiet
      }
    }
    clearTimeout(watch);
    onLine(false, heard);
    again();
  }
  run();
}

/** Hand on every whole event of the text, and return what is left of it. */
export function take(text, onEvent) {
  const pieces = text.split("\n\n");
  const rest = pieces.pop();
  for (const piece of pieces) {
    const fields = {};
    for (const line of piece.split("\n")) {
      const at = line.indexOf(": ");
      if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
    }
    if (fields.event) onEvent(fields.event, JSON.parse(fields.data ?? "{}"));
  }
  return rest;
}
