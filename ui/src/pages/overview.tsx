// Overview: every pipeline with its numbers and pace, charts of the last hour or day, the machine, and what needs attention.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post } from "../api";
import { ago, bytes, count, duration, human, rate, several } from "../format";
import { attempt, say, useData } from "../hooks";
import { Chart } from "../parts/chart";
import { Badge, Facts, Wait } from "../parts/common";
import { address, go, type PageProps } from "../router";
import type { Figures, Overview, Span } from "../types";

const KINDS: Record<string, string> = { working: "busy", finished: "good", paused: "warn", "waiting for a worker": "warn" };

export default function OverviewPage({ place }: PageProps): JSX.Element {
  const overview = useData<Overview>("/overview", 2000);
  const span = place.query.get("span") === "day" ? "day" : "hour";
  return (
    <>
      <h1>Overview</h1>
      <Wait of={overview}>{(data) => (
        <>
          {data.alerts.length > 0 && (
            <ul class="alerts" aria-label="What needs attention">
              {data.alerts.map((one) => (
                <li key={one.message} data-level={one.level}>
                  <strong>{one.link ? <a href={one.link}>{one.message}</a> : one.message}</strong>: {one.advice}.
                </li>
              ))}
            </ul>
          )}
          <div class="cards">{data.pipelines.map((one) => <Card key={one.status.pipeline} of={one} again={overview.again} />)}</div>
          <Charts span={span} pipelines={data.pipelines.filter((one) => one.status.total > 0).map((one) => one.status.pipeline)} />
          <h2>The machine</h2>
          <section class="panel" aria-label="The machine">
            <Facts of={[
              ["graph", <span class="mono">{data.graph}</span>], ["engine", data.engine], ["version", data.version], ["running for", duration(data.seconds)],
              ["graph on disk", bytes(data.system.graph_bytes as number)], ["log since checkpoint", bytes(data.system.log_bytes as number)],
              ["last checkpoint", data.system.checkpoint_at ? ago(String(data.system.checkpoint_at)) : "–"], ["disk free", bytes(data.system.disk_free_bytes as number)],
              ["memory of the service", bytes(data.system.memory_bytes as number)], ["memory free", bytes(data.system.memory_free_bytes as number)],
              ["load", `${Number(data.system.load_1m).toFixed(1)} on ${several(Number(data.system.cores), "core")}`],
            ]} />
          </section>
        </>
      )}</Wait>
    </>
  );
}

function Card({ of, again }: { of: Figures; again: () => void }): JSX.Element {
  const { status } = of;
  const to = (query: Record<string, string>) => address("queue", [status.pipeline], query);
  const turn = () => attempt(async () => {
    const verb = status.paused ? "resume" : "pause";
    await post(`/pipelines/${encodeURIComponent(status.pipeline)}/${verb}`, status.paused ? undefined : { reason: "by the dashboard" });
    say(`${status.pipeline} is ${verb}d.`);
    again();
  });
  const figure = (name: string, value: number, query: Record<string, string>) => <a href={to(query)} data-figure={name}>{count(value)}</a>;
  return (
    <article class="card" aria-label={`Pipeline ${status.pipeline}`}>
      <div class="top">
        <h2><a href={to({})}>{status.pipeline}</a></h2>
        <Badge kind={KINDS[of.activity]}>{of.activity}</Badge>
        <button type="button" aria-label={`${status.paused ? "Resume" : "Pause"} ${status.pipeline}`} onClick={turn}>{status.paused ? "Resume" : "Pause"}</button>
      </div>
      <p class="hint">{of.title}</p>
      <Facts of={[
        ["ready", figure("ready", status.ready, { standing: "ready" })],
        ["backing off", figure("backing_off", status.backing_off, { standing: "backing off" })],
        ["claimed", figure("claimed", status.claimed, { standing: "claimed" })],
        ["failed", figure("failed", status.failed, { state: "failed" })],
        ...(status.skipped ? [["skipped", figure("skipped", status.skipped, { state: "skipped" })] as [string, JSX.Element]] : []),
        ["finished", <span data-figure="finished">{count(of.finished)}</span>],
        ["total", figure("total", status.total, {})],
        ...(status.beyond_depth ? [["beyond the depth", count(status.beyond_depth)] as [string, string]] : []),
      ]} />
      <progress max={100} value={status.progress_percent} aria-label={`Progress of ${status.pipeline}`} />
      <p class="hint">{ending(of)}</p>
    </article>
  );
}

function ending(of: Figures): string {
  const { ready, claimed, backing_off, total } = of.status;
  if (!total) return "Nothing came in yet.";
  const left = ready + claimed + backing_off;
  const apart = Object.entries({ ...of.resting, ...(of.status.failed ? { failed: of.status.failed } : {}) });
  if (!left) return apart.length ? `Nothing left to do: ${apart.map(([state, number]) => `${count(number)} ${human(state)}`).join(", ")}.` : "All done.";
  const oldest = of.oldest_ready_seconds === null ? "" : `; the oldest ready row waits for ${duration(of.oldest_ready_seconds)}`;
  if (!of.per_second) return `${count(left)} to do${oldest}.`;
  return `${rate(of.per_second)}, done in ${duration(of.eta_seconds)}${oldest}.`;
}

function Charts({ span, pipelines }: { span: "hour" | "day"; pipelines: string[] }): JSX.Element | null {
  const samples = useData<Record<string, Span>>("/samples", 10_000);
  const [shown, setShown] = useState<Record<string, boolean>>({});
  const found = samples.data?.[span];
  const chosen = pipelines.filter((name) => shown[name] !== false && found?.pipelines[name]);
  const lines = (figure: string) => chosen.map((name) => ({ name, values: found?.pipelines[name]?.[figure] ?? [] }));
  return (
    <section aria-label="Charts">
      <h2>The last {span}</h2>
      <div class="bar">
        <label>Time <select value={span} onChange={(event) => go(address("overview", [], { span: event.currentTarget.value }), true)}>
          <option value="hour">last hour</option><option value="day">last day</option></select></label>
        {pipelines.length > 1 && pipelines.map((name) => (
          <button type="button" key={name} aria-pressed={shown[name] !== false} onClick={() => setShown({ ...shown, [name]: shown[name] === false })}>{name}</button>
        ))}
      </div>
      {found && found.at.length > 1 && chosen.length > 0 ? (
        <div class="charts">
          <Chart label="Finished" at={found.at} lines={lines("finished_per_second")} unit={rate} />
          <Chart label="From claim to end, median" at={found.at} lines={lines("claim_seconds")} unit={duration} />
          <Chart label="Ready" at={found.at} lines={lines("ready")} unit={count} />
          <Chart label="Failed" at={found.at} lines={lines("failed")} unit={count} />
        </div>
      ) : <p class="hint">The daemon takes a sample every ten seconds: charts appear with the second one.</p>}
    </section>
  );
}
