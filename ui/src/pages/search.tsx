// Search over all kinds, by words, meaning and edges, or within threads of Hacker News. Each hit says why it was found.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { withQuery } from "../api";
import { several, shown } from "../format";
import { useData } from "../hooks";
import { Badge, Facts, Wait } from "../parts/common";
import { address, go, type PageProps } from "../router";

const MODES = [["walk", "words, meaning and links"], ["hybrid", "words and meaning"], ["vector", "meaning"], ["text", "words"]];
const KINDS: Record<string, { name: string; label: string }> = {
  article: { name: "Articles", label: "Article" }, hn: { name: "Hacker News", label: "HNItem" },
  news: { name: "News", label: "NewsArticle" }, page: { name: "Pages", label: "ScrapeItem" },
};
/** Filters that are texts; each says for which kinds it is. */
const TEXTS = [["author", "Author (Hacker News, news)"], ["source", "Published by (news)"], ["site", "Site"]] as const;

interface Hit {
  kind: string;
  key: string;
  title: string;
  section?: string;
  snippet: string;
  score: number;
  marks?: [number, number][];
  citation?: { address?: string; passage?: string };
  by_words?: number;
  by_meaning?: number;
  by_link?: number;
  distance?: number | null;
  path?: string[];
  duplicates?: unknown[];
}

export default function SearchPage({ place }: PageProps): JSX.Element {
  const asked = Object.fromEntries(["q", "kind", "mode", "author", "source", "site", "after", "before"].map((name) => [name, place.query.get(name) ?? ""]));
  const [text, setText] = useState(asked.q!);
  useEffect(() => setText(asked.q!), [asked.q]);
  const set = (changed: Record<string, string>) => go(address("search", [], { ...asked, q: text.trim(), ...changed }));
  const kinds = asked.kind!.split(",").filter(Boolean);
  const turn = (kind: string) => set({ kind: (kinds.includes(kind) ? kinds.filter((one) => one !== kind) : [...kinds, kind]).join(",") });
  const found = useData<Hit[]>(asked.q ? withQuery("/search", { ...asked, kind: kinds, limit: 30 }) : null);
  return (
    <>
      <h1>Search</h1>
      <form class="bar" role="search" onSubmit={(event) => { event.preventDefault(); set({}); }}>
        <label class="grow">Words, or a question <input type="search" maxLength={1000} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <label>By <select value={asked.mode || "walk"} onChange={(event) => set({ mode: event.currentTarget.value })}>{MODES.map(([name, title]) => <option key={name} value={name}>{title}</option>)}</select></label>
        <button type="submit" class="primary">Search</button>
      </form>
      <ul class="chips" aria-label="Kinds">
        <li><button type="button" aria-pressed={!kinds.length} onClick={() => set({ kind: "" })}>All kinds</button></li>
        {Object.entries(KINDS).map(([kind, { name }]) => <li key={kind}><button type="button" aria-pressed={kinds.includes(kind)} onClick={() => turn(kind)}>{name}</button></li>)}
      </ul>
      <details open={["author", "source", "site", "after", "before"].some((name) => asked[name])}>
        <summary>More filters</summary>
        <div class="bar">
          {TEXTS.map(([name, title]) => <label key={name}>{title} <input type="search" maxLength={200} value={asked[name]} onChange={(event) => set({ [name]: event.currentTarget.value.trim() })} /></label>)}
          <label>Since <input type="date" value={asked.after} onChange={(event) => set({ after: event.currentTarget.value })} /></label>
          <label>Up to <input type="date" value={asked.before} onChange={(event) => set({ before: event.currentTarget.value })} /></label>
        </div>
      </details>
      {asked.q && <Wait of={found} waiting="Searching …">{(hits) => (
        <>
          <p class="hint">{hits.length ? several(hits.length, "hit") : "Nothing was found. Other words, another way, or more kinds may help."}</p>
          <ol class="hits">{hits.map((hit, at) => <li class="card" key={at}><One hit={hit} /></li>)}</ol>
        </>
      )}</Wait>}
    </>
  );
}

function One({ hit }: { hit: Hit }): JSX.Element {
  const label = KINDS[hit.kind]?.label ?? "Article";
  const source = hit.citation?.address ?? "";
  return (
    <>
      <h2><Badge>{KINDS[hit.kind]?.name ?? hit.kind}</Badge> <a href={address("graph", [], { label, key: hit.key })}>{hit.title || hit.key}</a>{hit.section && <span class="hint"> · {hit.section}</span>}</h2>
      <p>{marked(hit.snippet, hit.marks ?? [])}</p>
      <p class="hint">
        {hit.kind === "hn" && <><a href={address("threads", [hit.key])}>Its thread</a> · </>}
        {/^https?:/.test(source) && <><a href={source} rel="noreferrer noopener" target="_blank">Source</a> · </>}
        score {hit.score.toFixed(2)}
      </p>
      <details><summary>Why it was found</summary>
        <Facts of={[["by words", part(hit.by_words)], ["by meaning", part(hit.by_meaning)], ["by links", part(hit.by_link)],
          ...(hit.distance === null || hit.distance === undefined ? [] : [["links away", String(hit.distance)] as [string, string]])]} />
        {!!hit.path?.length && <p>Reached by {hit.path.join(" → ")}</p>}
        {hit.citation?.passage && <blockquote>{hit.citation.passage}</blockquote>}
        {!!hit.duplicates?.length && <p class="hint">The same elsewhere: {hit.duplicates.map(shown).join(", ")}</p>}
      </details>
    </>
  );
}

const part = (value: number | undefined): string => (value ? value.toFixed(2) : "–");

/** A text with the places that were found marked. */
export function marked(text: string, marks: [number, number][]): ComponentChildren {
  const letters = [...text];
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const [first, last] of marks) {
    parts.push(letters.slice(at, first).join(""), <mark key={first}>{letters.slice(first, last).join("")}</mark>);
    at = last;
  }
  return [...parts, letters.slice(at).join("")];
}
