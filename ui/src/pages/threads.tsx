// Threads of Hacker News: the newest stories, and one item with everything below it.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post } from "../api";
import { ago, several } from "../format";
import { attempt, say, useData } from "../hooks";
import { Wait } from "../parts/common";
import { address, go, type PageProps } from "../router";

interface Item {
  id: number;
  depth: number;
  title: string | null;
  text: string | null;
  by: string | null;
  time: number | string | null;
  score: number | null;
  url: string | null;
  type: string | null;
}

const SHOWN = 1000;

export default function ThreadsPage({ place }: PageProps): JSX.Element {
  const id = place.parts[0];
  const [text, setText] = useState(id ?? "");
  useEffect(() => setText(id ?? ""), [id]);
  return (
    <>
      <h1>{id ? `Thread ${id}` : "Threads"}</h1>
      <form class="bar" role="search" onSubmit={(event) => { event.preventDefault(); if (/^\d+$/.test(text.trim())) go(address("threads", [text.trim()])); }}>
        <label>Item <input inputMode="numeric" pattern="\d*" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <button type="submit" class="primary">Show</button>
        <button type="button" onClick={() => attempt(async () => { await post("/hn/pull", { top: 30 }); say("The top 30 stories are being pulled: see Jobs."); })}>Pull the top 30</button>
      </form>
      {id ? <Thread key={id} id={id} /> : <Stories />}
    </>
  );
}

function Thread({ id }: { id: string }): JSX.Element {
  const thread = useData<Item & { items: Item[] }>(`/hn/items/${encodeURIComponent(id)}/thread`);
  return (
    <Wait of={thread}>{(data) => (
      <>
        <p class="hint">{several(data.items.length, "item")} · <a href={address("row", ["hn_item"], { key: id })}>Its row</a> · <a href={address("graph", [], { label: "HNItem", key: id })}>In the graph</a></p>
        {data.items.slice(0, SHOWN).map((one) => (
          <article class="comment" key={one.id} style={{ marginLeft: `${Math.min(one.depth, 12) * 14}px` }}>
            <p class="hint"><strong>{one.by ?? "–"}</strong> {when(one.time)} · <a href={address("threads", [String(one.id)])}>{one.id}</a>{one.score !== null && one.score !== undefined && `, ${several(one.score, "point")}`}</p>
            {one.title && <h2>{one.title}</h2>}
            {one.text && paragraphs(one.text).map((part, at) => <p key={at}>{part}</p>)}
          </article>
        ))}
        {data.items.length > SHOWN && <p class="hint">{several(data.items.length - SHOWN, "more item")} not shown: open a part of the thread.</p>}
      </>
    )}</Wait>
  );
}

function Stories(): JSX.Element {
  const [answer, setAnswer] = useState<[number, string, string, number][] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const load = () => {
    setError(null);
    post<{ data: { values: [number, string, string, number][] } }>("/cypher", {
      statement: "MATCH (i:HNItem) WHERE i.type = 'story' AND i.title IS NOT NULL RETURN i.hnId, i.title, i.by, i.score ORDER BY i.hnId DESC LIMIT 100",
    }).then((found) => setAnswer(found.data.values), (failed) => setError((failed as Error).message));
  };
  useEffect(load, []);
  const loaded = { data: answer, error, again: load };
  return (
    <Wait of={loaded}>{(rows) => rows.length === 0 ? <p class="hint">No stories yet. Pull some, or upload a file of items.</p> : (
      <ul class="list">{rows.map(([id, title, by, score]) => (
        <li key={id}><a href={address("threads", [String(id)])}>{title}</a> <span class="hint">by {by}{score ? `, ${several(score, "point")}` : ""}</span></li>
      ))}</ul>
    )}</Wait>
  );
}

function when(time: number | string | null): string {
  if (time === null || time === undefined) return "";
  return ago(typeof time === "number" ? new Date(time * 1000).toISOString() : time);
}

/** The markup of Hacker News as text, part by part. It is never put in as markup. */
export const paragraphs = (html: string): string[] => html.split(/<p>/i).map(plain).filter((part) => part.trim());

/** Without tags, and with what its entities stand for. */
export function plain(html: string): string {
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'", "#x2F": "/", "#39": "'" };
  return html.replace(/<[^>]*>/g, "").replace(/&(amp|lt|gt|quot|#x27|#x2F|#39);/g, (_, name: string) => entities[name]!);
}
