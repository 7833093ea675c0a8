// Workers: the daemon's own, and whoever else holds claims.

import type { JSX } from "preact";
import { ago, count, moment } from "../format";
import { useData } from "../hooks";
import { Badge, Wait } from "../parts/common";
import { address, type PageProps } from "../router";

interface Workers {
  workers: { pipeline: string; name: string; state: string; since: string; restarts: number; done: number; last_error: string | null; heartbeat_at: string | null }[];
  holders: { pipeline: string; worker: string | null; claims: number; heartbeat_at: string | null }[];
}

const RECENT_MS = 30_000;

/** A worker that runs and has finished nothing of late is idle. */
const stateOf = (one: Workers["workers"][number]): string =>
  one.state === "working" && !(one.heartbeat_at && Date.now() - moment(one.heartbeat_at) < RECENT_MS) ? "idle" : one.state;

export default function WorkersPage(_: PageProps): JSX.Element {
  const workers = useData<Workers>("/workers", 2000);
  return (
    <>
      <h1>Workers</h1>
      <Wait of={workers}>{(data) => (
        <>
          <h2>Of this daemon</h2>
          {data.workers.length === 0 ? <p class="hint">None: it was started without workers.</p> : (
            <div class="plain" tabIndex={0} role="region" aria-label="Workers of this daemon"><table class="short">
              <thead><tr><th scope="col">pipeline</th><th scope="col">name</th><th scope="col">state</th><th scope="col" class="number">done</th><th scope="col">last batch</th><th scope="col">since</th><th scope="col" class="number">restarts</th><th scope="col">last error</th></tr></thead>
              <tbody>{data.workers.map((one) => (
                <tr key={one.name}><td>{one.pipeline}</td><td class="mono">{one.name}</td><td><Badge kind={stateOf(one) === "working" ? "busy" : one.state === "resting" ? "bad" : ""}>{stateOf(one)}</Badge></td>
                  <td class="number">{count(one.done)}</td><td>{ago(one.heartbeat_at)}</td><td>{ago(one.since)}</td><td class="number">{one.restarts}</td><td class="error">{one.last_error}</td></tr>
              ))}</tbody>
            </table></div>
          )}
          <h2>Who holds claims</h2>
          {data.holders.length === 0 ? <p class="hint">Nobody holds a claim.</p> : (
            <div class="plain" tabIndex={0} role="region" aria-label="Holders of claims"><table class="short">
              <thead><tr><th scope="col">pipeline</th><th scope="col">worker</th><th scope="col" class="number">claims</th><th scope="col">last heartbeat</th></tr></thead>
              <tbody>{data.holders.map((one) => (
                <tr key={`${one.pipeline} ${one.worker}`}><td>{one.pipeline}</td><td class="mono">{one.worker ?? "nobody"}</td>
                  <td class="number"><a href={address("queue", [one.pipeline], { standing: "claimed" })}>{count(one.claims)}</a></td><td>{ago(one.heartbeat_at)}</td></tr>
              ))}</tbody>
            </table></div>
          )}
        </>
      )}</Wait>
    </>
  );
}
