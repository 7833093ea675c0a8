// Queue: the rows of one pipeline by state, filters, reasons of failures, and actions on many rows, counted first.

import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { get, post, withQuery } from "../api";
import { ACTIONS, asking, type Filters, outcome, type Verb } from "../bulk";
import { ago, clock, count, fromLocalInput, localInput, several, short } from "../format";
import { attempt, say, useData } from "../hooks";
import { Confirm, type Confirmation, standing, StateBadge, Wait } from "../parts/common";
import { type Column, VirtualTable } from "../parts/table";
import { address, go, type PageProps } from "../router";
import { type Page, RowWindow, type Span } from "../row-window";
import type { Row, Status } from "../types";

const NOTHING: Span = { count: 0, first: null, last: null };
const SLICE = 500;
/** So many rows beyond those that are seen are asked for. */
const AHEAD = 80;
const FILTERS = ["state", "standing", "contains", "reason", "min_depth", "max_depth", "since", "until"] as const;

export default function QueuePage({ place }: PageProps): JSX.Element {
  const statuses = useData<Status[]>("/pipelines", 5000);
  const name = place.parts[0] ?? statuses.data?.[0]?.pipeline;
  return (
    <>
      <h1>Queue</h1>
      <Wait of={statuses}>{(data) => (
        <>
          <ul class="chips" aria-label="Pipelines">{data.map((one) => (
            <li key={one.pipeline}><a href={address("queue", [one.pipeline])} aria-current={one.pipeline === name ? "true" : undefined}>{one.pipeline} ({count(one.total)})</a></li>
          ))}</ul>
          {name && data.some((one) => one.pipeline === name)
            ? <Queue key={name} status={data.find((one) => one.pipeline === name)!} query={place.query} />
            : <p class="error">There is no pipeline {name}.</p>}
        </>
      )}</Wait>
    </>
  );
}

function Queue({ status, query }: { status: Status; query: URLSearchParams }): JSX.Element {
  const { pipeline } = status;
  const filters = Object.fromEntries(FILTERS.map((one) => [one, query.get(one) ?? ""])) as Filters;
  const set = (changed: Filters) => go(address("queue", [pipeline], { ...filters, ...changed }));
  const path = `/pipelines/${encodeURIComponent(pipeline)}`;
  const counted = useData<Span & { states: Record<string, number> }>(withQuery(`${path}/rows/count`, filters), 5000);
  const found = useRows(path, filters, counted.data ?? NOTHING);
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [question, setQuestion] = useState<Confirmation | null>(null);
  const [progress, setProgress] = useState<{ done: number; of: number; what: string } | null>(null);
  useEffect(() => setChosen(new Set()), [pipeline, JSON.stringify(filters)]);
  const refresh = () => {
    setChosen(new Set());
    found.again();
    counted.again();
  };

  const act = (verb: Verb) => attempt(async () => {
    const { fits, none, about, done } = ACTIONS[verb];
    const keys = [...chosen];
    const wanted = fits(filters);
    const many = keys.length || (wanted ? (await get<{ count: number }>(`${path}/rows/count`, wanted)).count : 0);
    if (!many) return say(none);
    const title = asking(verb, many);
    setQuestion({ title, text: about, action: title.replace("?", ""), run: () => void attempt(async () => {
      let moved = 0;
      let tried = 0;
      setProgress({ done: 0, of: many, what: done });
      try {
        let after: string | null = null;
        for (;;) {
          let part: string[];
          if (keys.length) part = keys.splice(0, SLICE);
          else if (chosen.size) break;
          else {
            const page: Page<Row> = await get(`${path}/rows`, { ...wanted, after, limit: SLICE });
            part = page.rows.map((row) => row.key);
            after = page.rows.at(-1)?.seq ?? null;
          }
          if (!part.length) break;
          const answer = await post<Record<string, number>>(`${path}/${verb}`, { keys: part });
          moved += Object.values(answer)[0] ?? 0;
          tried += part.length;
          setProgress({ done: tried, of: Math.max(many, tried), what: "looked at" });
        }
        say(outcome(verb, moved, tried));
      } finally {
        setProgress(null);
        refresh();
      }
    }) });
  });

  const columns = useMemo<Column<Row>[]>(() => [
    { name: "", width: "44px", cell: (row) => (
      <input type="checkbox" aria-label={`Choose ${row.key}`} checked={chosen.has(row.key)} onChange={() => setChosen((before) => {
        const next = new Set(before);
        if (!next.delete(row.key)) next.add(row.key);
        return next;
      })} />) },
    { name: "row", width: "minmax(12rem, 2fr)", cell: (row) => <a href={address("row", [pipeline], { key: row.key })} title={row.key}>{row.name ? `${row.name} (${row.key})` : row.key}</a> },
    { name: "state", width: "8.5rem", cell: (row) => <StateBadge state={row.state} /> },
    { name: "standing", width: "7.5rem", cell: standing },
    { name: "when", width: "7.5rem", cell: (row) => row.at && row.standing !== "backing off" ? <span title={clock(row.at)}>{ago(row.at)}</span> : "" },
    { name: "depth", width: "4.2rem", number: true, cell: (row) => row.depth ?? "" },
    { name: "retries", width: "4.6rem", number: true, cell: (row) => row.retries ?? "" },
    { name: "worker", width: "8.5rem", cell: (row) => <span title={row.worker ?? ""}>{row.worker ?? ""}</span> },
    { name: "error", width: "minmax(12rem, 3fr)", cell: (row) => <span title={row.error ?? ""}>{row.error ?? ""}</span> },
  ], [chosen, pipeline]);

  return (
    <>
      <ul class="chips" aria-label="States">
        <li><button type="button" aria-pressed={!filters.state} onClick={() => set({ state: "" })}>all</button></li>
        {Object.entries(status.states).map(([state, number]) => (
          <li key={state}><button type="button" aria-pressed={filters.state === state} onClick={() => set({ state })}>{state.replaceAll("_", " ")} ({count(number)})</button></li>
        ))}
      </ul>
      <FilterBar filters={filters} set={set} />
      {(filters.state === "failed" || filters.state === "skipped") && <Reasons path={path} state={filters.state} chosen={filters.reason ?? ""} set={set} />}
      <div class="bar" role="group" aria-label="Actions">
        <p class="grow" aria-live="polite"><strong data-testid="matching">{several(counted.data?.count ?? 0, "row")}</strong> {counted.data?.count === 1 ? "matches" : "match"}{chosen.size > 0 && `, ${count(chosen.size)} chosen`}</p>
        <span class="hint" id="which">{chosen.size ? "With those chosen:" : "With all that match:"}</span>
        {(Object.keys(ACTIONS) as Verb[]).map((verb) => (
          <button type="button" key={verb} aria-describedby="which" disabled={progress !== null} onClick={() => act(verb)}>{ACTIONS[verb].name} …</button>
        ))}
        <button type="button" onClick={refresh}>Refresh</button>
      </div>
      {progress && <p><progress max={progress.of} value={progress.done} aria-label="Progress" /> {count(progress.done)} of {several(progress.of, "row")} {progress.what}</p>}
      {found.error && <p class="error" role="alert">{found.error}</p>}
      <VirtualTable label={`Rows of ${pipeline}`} columns={columns} rows={found.rows} keyOf={(row) => row.seq} start={found.start} total={counted.data?.count} least="70rem" onRange={found.want} />
      <Confirm of={question} close={() => setQuestion(null)} />
    </>
  );
}

/** Rows in parts, by their numbers: the thousandth part costs what the first did. */
function useRows(path: string, filters: Filters, span: Span) {
  const [error, setError] = useState<string | null>(null);
  const [, setDrawn] = useState(0);
  const key = path + JSON.stringify(filters);
  const held = useMemo(() => new RowWindow<Row>((asked) => get<Page<Row>>(`${path}/rows`, { ...filters, ...asked })), [key]);
  const load = (work: Promise<unknown>) => void work.then((changed) => {
    setError(null);
    if (changed !== false) setDrawn((n) => n + 1);
  }, (failed) => setError((failed as Error).message));
  useEffect(() => load(held.reset()), [held]);
  return { rows: held.rows, start: held.start, error, want: (first: number, last: number) => load(held.want(first - AHEAD, last + AHEAD, span)), again: () => load(held.reset()) };
}

function FilterBar({ filters, set }: { filters: Filters; set: (changed: Filters) => void }): JSX.Element {
  const [text, setText] = useState(filters.contains ?? "");
  useEffect(() => setText(filters.contains ?? ""), [filters.contains]);
  return (
    <form class="bar" role="search" onSubmit={(event) => { event.preventDefault(); set({ contains: text.trim() }); }}>
      <label class="grow">In the key or the error <input type="search" maxLength={200} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
      <label>Standing <select value={filters.standing} onChange={(event) => set({ standing: event.currentTarget.value })}>
        <option value="">any</option>{["ready", "backing off", "waiting", "claimed", "at rest"].map((one) => <option key={one}>{one}</option>)}</select></label>
      <label>Depth from <input type="number" min={0} value={filters.min_depth} onChange={(event) => set({ min_depth: event.currentTarget.value })} /></label>
      <label>to <input type="number" min={0} value={filters.max_depth} onChange={(event) => set({ max_depth: event.currentTarget.value })} /></label>
      <label>Since <input type="datetime-local" value={localInput(filters.since ?? "")} onChange={(event) => set({ since: fromLocalInput(event.currentTarget.value) })} /></label>
      <label>Until <input type="datetime-local" value={localInput(filters.until ?? "")} onChange={(event) => set({ until: fromLocalInput(event.currentTarget.value) })} /></label>
      <button type="submit" class="primary">Filter</button>
    </form>
  );
}

function Reasons({ path, state, chosen, set }: { path: string; state: string; chosen: string; set: (changed: Filters) => void }): JSX.Element | null {
  const reasons = useData<{ reason: string | null; count: number; example: string }[]>(withQuery(`${path}/reasons`, { state }), 10_000);
  if (!reasons.data?.length) return null;
  return (
    <section aria-label="Reasons">
      <h2>Why</h2>
      <ul class="chips">
        {chosen && <li><button type="button" aria-pressed="false" onClick={() => set({ reason: "" })}>all reasons</button></li>}
        {reasons.data.slice(0, 12).map((one) => (
          <li key={one.reason ?? ""}><button type="button" title={one.reason ?? ""} aria-pressed={chosen === one.reason} onClick={() => set({ reason: one.reason ?? "" })}>
            {short(one.reason ?? "no reason", 70)} ({count(one.count)})</button></li>
        ))}
      </ul>
    </section>
  );
}
