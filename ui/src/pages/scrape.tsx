// Scrape: batches of pages, and their summaries as they stream in.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post } from "../api";
import { ago, count, several } from "../format";
import { attempt, say, useData, useEvents, usePages } from "../hooks";
import { More, StateBadge, Wait } from "../parts/common";
import { address, go, type PageProps } from "../router";

interface Listed {
  name: string;
  status: string;
  created_at: string | null;
  finished_at: string | null;
}

interface Result {
  key: string;
  url: string;
  state: string;
  title: string | null;
  words: number | null;
  summary: string | null;
  error: string | null;
}

export default function ScrapePage({ place }: PageProps): JSX.Element {
  const name = place.parts[0];
  return <>{name && <p><a href={address("scrape")}>All batches</a></p>}<h1>{name ? `Batch ${name}` : "Scrape"}</h1>{name ? <Batch key={name} name={name} /> : <Batches />}</>;
}

function Batches(): JSX.Element {
  const batches = usePages<Listed>("/scrape/batches", (one) => one.name, 5000);
  const [urls, setUrls] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    void attempt(async () => {
      const given = urls.split(/\s+/).filter(Boolean);
      if (!given.length) return say("Give at least one address.");
      const { batch, pages } = await post<{ batch: string; pages: number }>("/scrape/batches", { urls: given });
      say(`${several(pages, "page")} in batch ${batch}.`);
      go(address("scrape", [batch]));
    });
  };
  return (
    <>
      <form class="bar" onSubmit={submit}>
        <label class="grow">Addresses, one a line <textarea rows={3} value={urls} onInput={(event) => setUrls(event.currentTarget.value)} /></label>
        <button type="submit" class="primary">Scrape and summarize</button>
      </form>
      <Wait of={batches}>{(data) => data.length === 0 ? <p class="hint">No batches yet.</p> : (
        <ul class="list">{data.map((one) => (
          <li class="card" key={one.name}><div class="top"><h2><a href={address("scrape", [one.name])}>{one.name}</a></h2><StateBadge state={one.status} />
            <span class="hint">{ago(one.created_at)}{one.finished_at && `, finished ${ago(one.finished_at)}`}</span></div></li>
        ))}</ul>
      )}</Wait>
      <More of={batches} />
    </>
  );
}

function Batch({ name }: { name: string }): JSX.Element {
  const path = `/scrape/batches/${encodeURIComponent(name)}`;
  const batch = useData<{ states: Record<string, number> }>(path, 3000);
  const results = usePages<Result>(`${path}/results?limit=200`, (one) => one.key, 5000);
  const [streamed, setStreamed] = useState<Record<string, string>>({});
  useEvents((event, { what }) => {
    if (event === "scrape" && what?.batch === name && what.url && what.text) setStreamed((before) => ({ ...before, [what.url]: what.text }));
  });
  return (
    <>
      <Wait of={batch}>{(data) => <p>{Object.entries(data.states).map(([state, number]) => <span key={state}><StateBadge state={state} /> {count(number)} </span>)}</p>}</Wait>
      <Wait of={results}>{(data) => (
        <ol class="hits">{data.map((one) => (
          <li class="card" key={one.key}>
            <h2>{one.title || one.url}</h2>
            <p class="hint"><StateBadge state={one.state} /> <a href={address("row", ["scrape_item"], { key: one.key })}>{one.url}</a>{one.words ? `, ${several(one.words, "word")}` : ""}</p>
            {one.error && <p class="error">{one.error}</p>}
            {(one.summary || streamed[one.url]) && <p>{one.summary || streamed[one.url]}</p>}
          </li>
        ))}</ol>
      )}</Wait>
      <More of={results} />
    </>
  );
}
