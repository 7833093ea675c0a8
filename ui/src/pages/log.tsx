// Log: the events of the service as they happen, since this page was opened.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { clock, shown } from "../format";
import { useEvents } from "../hooks";
import type { PageProps } from "../router";

const MOST = 500;

interface Line {
  id: number;
  name: string;
  at: string;
  facts: Record<string, unknown>;
}

export default function LogPage(_: PageProps): JSX.Element {
  const [lines, setLines] = useState<Line[]>([]);
  const [text, setText] = useState("");
  const [held, setHeld] = useState(false);
  const number = useRef(0);
  useEvents((name, { at, ...facts }) => {
    if (held || name === "status") return;
    number.current += 1;
    setLines((before) => [{ id: number.current, name, at: String(at ?? ""), facts }, ...before].slice(0, MOST));
  });
  const wanted = lines.filter((one) => `${one.name} ${JSON.stringify(one.facts)}`.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <h1>Log</h1>
      <div class="bar">
        <label>Filter <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <button type="button" aria-pressed={held} onClick={() => setHeld(!held)}>{held ? "Go on" : "Hold"}</button>
        <button type="button" onClick={() => setLines([])}>Clear</button>
      </div>
      {wanted.length === 0 ? <p class="hint">Events appear here as they happen.</p> : (
        <div class="plain" tabIndex={0} role="region" aria-label="Events"><table>
          <thead><tr><th scope="col">at</th><th scope="col">event</th><th scope="col">facts</th></tr></thead>
          <tbody>{wanted.map((one) => <tr key={one.id}><td class="number">{clock(one.at)}</td><td>{one.name}</td><td class="mono">{shown(one.facts)}</td></tr>)}</tbody>
        </table></div>
      )}
    </>
  );
}
