// Workers: the daemon's own, and whoever else holds claims.

import type { JSX } from "preact";
import { ago, count } from "../format";
import { useData } from "../hooks";
import { Badge, Wait } from "../parts/common";
import { address, type PageProps } from "../router";

interface Workers {
  workers: { pipeline: string; name: string; state: string; since: string; restarts: number; done: number; last_error: string | null; heartbeat_at: string | null }[];
  holders: { pipeline: string; worker: string | null; claims: number; heartbeat_at: string | null }[];
}

export default function WorkersPage(_: PageProps): JSX.Element {
  const workers = useData<Workers>("/workers", 2000);
  return (
    <>
      <h1>Workers</h1>
      <Wait of={workers}>{(data) => (
        <>
          <h2>Of this daemon</h2>
          {data.workers.length === 0 ? <p class="hint">None: it was started without workers.</p> : (
            <div class="plain" tabIndex={0} role="region" aria-label="Workers of this daemon"><table>
              <thead><tr><th scope="col">pipeline</th><th scope="col">name</th><th scope="col">state</th><th scope="col">done</th><th scope="col">last batch</th><th scope="col">since</th><th scope="col">restarts</th><th scope="col">last error</th></tr></thead>
              <tbody>{data.workers.map((one) => (
                <tr key={one.name}><td>{one.pipeline}</td><td class="mono">{one.name}</td><td><Badge kind={one.state === "working" ? "busy" : one.state === "resting" ? "bad" : ""}>{one.state}</Badge></td>
                  <td class="number">{count(one.done)}</td><td>{ago(one.heartbeat_at)}</td><td>{ago(one.since)}</td><td class="number">{one.restarts}</td><td class="error">{one.last_error}</td></tr>
              ))}</tbody>
            </table></div>
          )}
          <h2>Who holds claims</h2>
          {data.holders.length === 0 ? <p class="hint">Nobody holds a claim.</p> : (
            <div class="plain" tabIndex={0} role="region" aria-label="Holders of claims"><table>
              <thead><tr><th scope="col">pipeline</th><th scope="col">worker</th><th scope="col">claims</th><th scope="col">last heartbeat</th></tr></thead>
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
