// Row: where it stands, what happened to it, its properties, its neighbours, what can be done.

import type { JSX } from "preact";
import { post, withQuery } from "../api";
import { ago, clock, count, duration, human, INNER, timed } from "../format";
import { attempt, say, useData } from "../hooks";
import { Facts, standing, StateBadge, Wait } from "../parts/common";
import { address, type PageProps } from "../router";
import type { Around, RowDetail } from "../types";

const waits = (row: RowDetail["row"]): boolean => row.standing === "ready" || row.standing === "backing off";

export default function RowPage({ place }: PageProps): JSX.Element {
  const pipeline = place.parts[0] ?? "";
  const key = place.query.get("key") ?? "";
  const path = `/pipelines/${encodeURIComponent(pipeline)}`;
  const detail = useData<RowDetail>(key ? withQuery(`${path}/row`, { key }) : null, 5000);
  const act = (verb: string, done: string) => attempt(async () => {
    const moved = Object.values(await post<Record<string, number>>(`${path}/${verb}`, { keys: [key] }))[0];
    say(moved ? `${key} is ${done}.` : `${key} was not moved: its state does not allow it.`);
    detail.again();
  });
  return (
    <>
      <p><a href={address("queue", [pipeline])}>Queue of {pipeline}</a></p>
      <h1>{key}</h1>
      <Wait of={detail}>{(data) => (
        <>
          <div class="bar level">
            <StateBadge state={data.row.state} />
            <button type="button" disabled={data.row.state !== "failed" && data.row.state !== "skipped"} onClick={() => act("requeue", "back in the queue")}>Requeue</button>
            <button type="button" disabled={!waits(data.row) && data.row.state !== "failed" && data.row.state !== "skipped"} onClick={() => act("exclude", "excluded")}>Exclude</button>
            <button type="button" disabled={data.row.prioritised || !waits(data.row)} onClick={() => act("prioritise", "claimed next")}>Prioritise</button>
            <button type="button" disabled={data.row.standing !== "claimed"} onClick={() => act("release", "back in the queue; the worker that had it can't write about it any more")}>Release</button>
            <a href={address("graph", [], { label: data.label, key })}>Show in the graph</a>
          </div>
          <Facts of={[
            ["standing", standing(data.row)],
            ["depth", data.row.depth ?? "–"], ["retries", data.row.retries ?? "–"], ["worker", data.row.worker ?? "–"],
            ["last heartbeat", data.row.claimed_at ? ago(data.row.claimed_at) : "–"], [data.row.standing === "at rest" ? "finished" : "due", data.row.standing !== "claimed" && data.row.at ? ago(data.row.at) : "–"],
          ]} />
          <div class="split">
            <div>
              <History of={data} />
              <Neighbours label={data.label} keyOf={key} />
            </div>
            <section aria-label="Properties">
              <h2>Properties</h2>
              <div class="plain"><table><tbody>{Object.entries(data.properties).filter(([name]) => !INNER.has(name)).map(([name, value]) => (
                <tr key={name}><th scope="row">{human(name)}</th><td>{timed(value)}</td></tr>
              ))}</tbody></table></div>
            </section>
          </div>
        </>
      )}</Wait>
    </>
  );
}

function History({ of }: { of: RowDetail }): JSX.Element {
  return (
    <section aria-label="History">
      <h2>What happened</h2>
      {of.history.length === 0 && of.failures.length === 0 && <p class="hint">Nothing has happened to this row since the daemon keeps its history.</p>}
      <ol class="timeline">{of.history.map((one, place) => (
        <li key={place} data-kind={/fail/.test(one.state) || one.note ? "bad" : undefined}>
          <strong>{human(one.move)}</strong> → <StateBadge state={one.state} />{" "}
          <span class="hint" title={clock(one.at)}>{ago(one.at)}{one.worker && `, by ${one.worker}`}{one.seconds_since_last !== null && `, ${duration(one.seconds_since_last)} after the step before`}</span>
          {one.note && <div class="error">{one.note}</div>}
        </li>
      ))}</ol>
      {of.failures.length > 0 && <h2>Failures</h2>}
      {of.failures.map((one, place) => (
        <details key={place} class="panel">
          <summary>Attempt {one.attempt}, {ago(one.at)}: {one.kind}: {one.message}</summary>
          {one.trace && <pre>{one.trace}</pre>}
        </details>
      ))}
    </section>
  );
}

function Neighbours({ label, keyOf }: { label: string; keyOf: string }): JSX.Element {
  const around = useData<Around>(withQuery("/neighbourhood", { label, key: keyOf, limit: 60 }));
  return (
    <section aria-label="Neighbours">
      <h2>Neighbours</h2>
      <Wait of={around}>{(data) => (
        <>
          <p class="hint">{data.degree?.map((one) => `${count(one.count)} ${one.outward ? "" : "incoming "}${one.type}`).join(", ") || "none"}</p>
          <ul class="list scroll" tabIndex={0} aria-label="List of neighbours">{data.edges.map((edge, place) => {
            const outward = edge.source.key === keyOf && edge.source.label === label;
            const end = outward ? edge.target : edge.source;
            const name = data.nodes.find((one) => one.label === end.label && one.key === end.key)?.name ?? end.key;
            return <li key={place}><span class="hint">{edge.type} {outward ? "→" : "←"}</span> <a href={address("graph", [], { label: end.label, key: end.key })}>{name}</a></li>;
          })}</ul>
        </>
      )}</Wait>
    </section>
  );
}
