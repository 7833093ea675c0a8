// The service's events as they happen. Read by fetch, since the browser's own EventSource can't send a token.

import { hasToken, request, Refused } from "./api";

export type Facts = Record<string, any>;
type Heard = (name: string, facts: Facts) => void;

const AGAIN_MS = 2000;
// The service sends a line every ten seconds; after three times that, the connection is taken for dead.
const SILENT_MS = 30_000;

export function listen(onEvent: Heard, onLine: (open: boolean) => void): () => void {
  let over = false;
  let current: AbortController | null = null;

  async function run(): Promise<void> {
    while (!over) {
      let refused = false;
      const given = (current = new AbortController());
      let watch = setTimeout(() => given.abort(), SILENT_MS);
      try {
        const answer = await request("GET", "/events", null, { signal: given.signal });
        if (!answer.ok || !answer.body) throw new Refused(answer.status, "no events");
        onLine(true);
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
        refused = error instanceof Refused && error.status === 401;
      }
      clearTimeout(watch);
      onLine(false);
      // Where nobody wants to give the token, the page stays quiet until somebody does.
      do await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      while (!over && refused && !hasToken());
    }
  }
  void run();
  return () => {
    over = true;
    current?.abort();
  };
}

/** Hand on every whole event of the text, and return what is left of it. */
export function take(text: string, onEvent: Heard): string {
  const pieces = text.split("\n\n");
  const rest = pieces.pop() ?? "";
  for (const piece of pieces) {
    const fields: Record<string, string> = {};
    for (const line of piece.split("\n")) {
      const at = line.indexOf(": ");
      if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
    }
    if (fields.event) onEvent(fields.event, JSON.parse(fields.data ?? "{}"));
  }
  return rest;
}
