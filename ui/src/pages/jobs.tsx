// Jobs: start, watch and stop what takes long: growing, pulling, refreshing.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post, send } from "../api";
import { ago, clock, duration, facts, moment } from "../format";
import { attempt, say, useEvents, usePages } from "../hooks";
import { More, StateBadge, Wait } from "../parts/common";
import type { PageProps } from "../router";
import type { Job } from "../types";

export default function JobsPage(_: PageProps): JSX.Element {
  const jobs = usePages<Job>("/jobs", (job) => job.id, 1500);
  useEvents((name) => { if (name === "job") jobs.again(); });
  const start = (path: string, body: unknown, what: string) => attempt(async () => { await post(path, body); say(`${what} has begun.`); jobs.again(); });
  const stop = (job: Job) => attempt(async () => { await send("DELETE", `/jobs/${job.id}`); say(`${job.verb} is being stopped.`); jobs.again(); });
  return (
    <>
      <h1>Jobs</h1>
      <Grow start={start} />
      <div class="bar" role="group" aria-label="More jobs">
        <button type="button" onClick={() => start("/refresh", {}, "A refresh")}>Refresh revised articles</button>
        <button type="button" onClick={() => start("/hn/pull", { top: 30 }, "A pull")}>Pull the top 30 of Hacker News</button>
        <button type="button" onClick={() => start("/news/update", {}, "An update of the news")}>Update the news</button>
      </div>
      <Wait of={jobs}>{(data) => data.length === 0 ? <p class="hint">No jobs since the daemon started.</p> : (
        <ul class="list">{data.map((job) => (
          <li class="card" key={job.id} data-job={job.verb}>
            <div class="top"><h2>{job.verb}</h2><StateBadge state={job.state} /><span class="hint" title={clock(job.started_at)}>{ago(job.started_at)}{job.ended_at && `, took ${duration((moment(job.ended_at) - moment(job.started_at)) / 1000)}`}</span>
              {job.state === "running" && <button type="button" aria-label={`Stop ${job.verb}`} onClick={() => stop(job)}>Stop</button>}</div>
            <p>{facts(job.asked as Record<string, unknown>)}</p>
            {job.error && <p class="error">{job.error}</p>}
            {job.state === "running" && job.last_event && <p class="hint">{progress(job.last_event.facts as Record<string, unknown>)}</p>}
            {job.result !== null && <details><summary>Result</summary><pre tabIndex={0}>{JSON.stringify(job.result, null, 2)}</pre></details>}
          </li>
        ))}</ul>
      )}</Wait>
      <More of={jobs} />
    </>
  );
}

/** Where it stands, from its last event: counts of the whole run where it says them. */
function progress(of: Record<string, unknown>): string {
  const total = of.total ?? of.counts ?? of;
  return typeof total === "object" && total !== null ? facts(Object.fromEntries(Object.entries(total).filter(([, value]) => value !== 0 && typeof value !== "object"))) : "";
}

function Grow({ start }: { start: (path: string, body: unknown, what: string) => void }): JSX.Element {
  const [titles, setTitles] = useState("");
  const [depth, setDepth] = useState(2);
  const submit = (event: Event) => {
    event.preventDefault();
    start("/grow", { titles: titles.split("\n").map((one) => one.trim()).filter(Boolean), depth }, "Growth");
  };
  return (
    <form class="bar" onSubmit={submit}>
      <label class="grow">Grow from these titles, one a line; none goes on with what waits <textarea rows={3} value={titles} onInput={(event) => setTitles(event.currentTarget.value)} /></label>
      <label>Depth <input type="number" min={0} max={1000} value={depth} onInput={(event) => setDepth(event.currentTarget.valueAsNumber || 0)} /></label>
      <button type="submit" class="primary">Grow</button>
    </form>
  );
}
