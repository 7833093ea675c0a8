// Log: the last events of the service, and those that come as they happen.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { clock, facts, human, shown } from "../format";
import { useData, useEvents } from "../hooks";
import type { PageProps } from "../router";
import type { Page } from "../row-window";

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
  const before = useData<Page<{ seq: number; event: string; data: Record<string, unknown> }>>(`/log?limit=${MOST}`);
  useEffect(() => {
    const known = before.data?.rows.map(({ seq, event, data: { at, ...facts } }) => ({ id: -seq, name: event, at: String(at ?? ""), facts }));
    // What came while this was asked for is in both.
    if (known) setLines((now) => [...now.filter((one) => !known.some((other) => other.at === one.at && other.name === one.name)), ...known].slice(0, MOST));
  }, [before.data]);
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
      {wanted.length === 0 ? <p class="hint">Nothing has happened yet. Events appear here as they come.</p> : (
        <div class="plain" tabIndex={0} role="region" aria-label="Events"><table>
          <thead><tr><th scope="col">at</th><th scope="col">event</th><th scope="col">facts</th></tr></thead>
          <tbody>{wanted.map((one) => <tr key={one.id}><td class="at">{clock(one.at)}</td><td>{human(one.name)}</td><td title={shown(one.facts)}>{facts(one.facts)}</td></tr>)}</tbody>
        </table></div>
      )}
    </>
  );
}
