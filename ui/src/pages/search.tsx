// Search: articles by words, meaning and links; items of Hacker News by words. Each hit says where it stands in the graph.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { withQuery } from "../api";
import { several, shown } from "../format";
import { useData } from "../hooks";
import { Wait } from "../parts/common";
import { address, go, type PageProps } from "../router";

const MODES = [["walk", "words, meaning and links"], ["hybrid", "words and meaning"], ["vector", "meaning"], ["text", "words"]];
type Hit = Record<string, any>;

export default function SearchPage({ place }: PageProps): JSX.Element {
  const words = place.query.get("q") ?? "";
  const where = place.query.get("in") ?? "articles";
  const mode = place.query.get("mode") ?? "walk";
  const [text, setText] = useState(words);
  useEffect(() => setText(words), [words]);
  const set = (changed: Record<string, string>) => go(address("search", [], { q: text.trim(), in: where, mode, ...changed }));
  const path = !words ? null : where === "items" ? withQuery("/hn/search", { q: words, limit: 30 }) : withQuery("/search", { q: words, mode, limit: 20 });
  const found = useData<Hit[] | Hit>(path);
  return (
    <>
      <h1>Search</h1>
      <form class="bar" role="search" onSubmit={(event) => { event.preventDefault(); set({}); }}>
        <label class="grow">Words, or a question <input type="search" maxLength={1000} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <label>In <select value={where} onChange={(event) => set({ in: event.currentTarget.value })}><option value="articles">everything indexed with articles</option><option value="items">Hacker News</option></select></label>
        {where === "articles" && <label>By <select value={mode} onChange={(event) => set({ mode: event.currentTarget.value })}>{MODES.map(([name, title]) => <option key={name} value={name}>{title}</option>)}</select></label>}
        <button type="submit" class="primary">Search</button>
      </form>
      {path && <Wait of={found}>{(data) => <Hits hits={list(data)} items={where === "items"} />}</Wait>}
    </>
  );
}

const list = (data: Hit[] | Hit): Hit[] => (Array.isArray(data) ? data : ((data.found ?? data.hits ?? data.results ?? []) as Hit[]));

function Hits({ hits, items }: { hits: Hit[]; items: boolean }): JSX.Element {
  return (
    <>
      <p class="hint">{several(hits.length, "hit")}</p>
      <ol class="hits">{hits.map((hit, at) => <li class="card" key={at}>{items ? <Item hit={hit} /> : <Article hit={hit} />}</li>)}</ol>
    </>
  );
}

function Article({ hit }: { hit: Hit }): JSX.Element {
  const label = hit.label ?? "Article";
  const key = String(hit.key ?? hit.article ?? hit.title ?? hit.id ?? "");
  const title = String(hit.article ?? hit.title ?? hit.name ?? key);
  const known = new Set(["article", "section", "snippet", "score", "title", "label", "key", "name"]);
  const rest = Object.entries(hit).filter(([name, value]) => !known.has(name) && value !== null && value !== "" && !(Array.isArray(value) && !value.length));
  return (
    <>
      <h2><a href={address("graph", [], { label, key })}>{title}</a>{hit.section && <span class="hint"> · {shown(hit.section)}</span>}</h2>
      <p>{snippet(hit.snippet)}</p>
      <details><summary>Score {Number(hit.score).toFixed(3)}</summary>
        <div class="plain"><table><tbody>{rest.map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td>{shown(value)}</td></tr>)}</tbody></table></div>
      </details>
    </>
  );
}

function Item({ hit }: { hit: Hit }): JSX.Element {
  const item = (hit.item ?? hit) as Hit;
  return (
    <>
      <h2><a href={address("threads", [String(item.id)])}>{item.title || `${item.type ?? "item"} ${item.id}`}</a> <span class="hint">by {item.by ?? "–"}</span></h2>
      <p>{snippet(hit.snippet)}</p>
    </>
  );
}

/** A snippet is text; the parts that were found stand between asterisks or are given apart. */
export function snippet(value: unknown): ComponentChildren {
  const text = typeof value === "object" && value !== null ? shown((value as Hit).text ?? value) : shown(value);
  return text.split(/\*\*(.+?)\*\*/g).map((part, at) => (at % 2 ? <mark key={at}>{part}</mark> : part));
}
