// News: articles with their sentiment, and that over time, the queue, the checkpoints and the last runs.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { post, withQuery } from "../api";
import { ago, count, human, moment, shown } from "../format";
import { attempt, say, useData, usePages } from "../hooks";
import { Chart } from "../parts/chart";
import { Badge, Facts, More, StateBadge, Wait } from "../parts/common";
import { address, go, type PageProps } from "../router";

interface Article {
  id: string;
  state: string;
  title: string;
  link: string;
  date: string | null;
  source: string;
  sentiment: string | null;
  sentiment_score: number | null;
  summary: string | null;
}

interface Day {
  day: string;
  positive: number;
  neutral: number;
  negative: number;
  score: number | null;
}

type Rows = Record<string, unknown>[];
interface Queue {
  topic: string;
  length: number;
  backing_off: number;
  additions: number;
  checkpoints: Rows;
  updater_runs: Rows;
  processor_runs: Rows;
  articles_per_hour: number | null;
}

export default function NewsPage({ place }: PageProps): JSX.Element {
  const contains = place.query.get("contains") ?? "";
  const sentiment = place.query.get("sentiment") ?? "";
  const articles = usePages<Article>(withQuery("/news/articles", { contains, sentiment, limit: 100 }), (one) => one.id, 10_000);
  const queue = useData<Queue>("/news/queue", 10_000);
  const sentiments = useData<Day[]>("/news/sentiment", 30_000);
  const start = (verb: string) => attempt(async () => { await post(`/news/${verb}`, {}); say(`The ${verb === "update" ? "updater" : "processor"} runs: see Jobs.`); });
  return (
    <>
      <h1>News</h1>
      <div class="bar">
        <label>In the title <input type="search" value={contains} onChange={(event) => go(address("news", [], { contains: event.currentTarget.value, sentiment }))} /></label>
        <label>Sentiment <select value={sentiment} onChange={(event) => go(address("news", [], { contains, sentiment: event.currentTarget.value }))}>
          <option value="">any</option><option>positive</option><option>neutral</option><option>negative</option></select></label>
        <button type="button" onClick={() => start("update")}>Run the updater</button>
        <button type="button" onClick={() => start("process")}>Run the processor</button>
      </div>
      <Wait of={queue}>{(data) => !data.length && !data.additions && !data.updater_runs.length && !articles.data?.length ? null : (
        <section class="panel" aria-label="Queue">
          <Facts of={[["topic", data.topic], ["queued", count(data.length)], ["backing off", count(data.backing_off)], ["in the additions log", count(data.additions)],
            ["articles per hour", data.articles_per_hour === null ? "–" : count(Math.round(data.articles_per_hour))]]} />
          <Records title="Checkpoints" rows={data.checkpoints} /><Records title="Runs of the updater" rows={data.updater_runs} /><Records title="Runs of the processor" rows={data.processor_runs} />
        </section>
      )}</Wait>
      {sentiments.data && <Sentiment days={sentiments.data} />}
      <h2>Articles</h2>
      <Wait of={articles}>{(data) => data.length === 0 ? <p class="hint">No news yet. <code>graphvine news update --feed ADDRESS</code> brings some, and so does a topic in graphvine.toml.</p> : (
        <ol class="hits">{data.map((one) => (
          <li class="card" key={one.id}>
            <h3><a href={address("row", ["news_article"], { key: one.id })}>{one.title || one.id}</a></h3>
            <p><StateBadge state={one.state} /> {one.sentiment && <Badge kind={one.sentiment === "positive" ? "good" : one.sentiment === "negative" ? "bad" : ""}>{one.sentiment} {one.sentiment_score?.toFixed(2)}</Badge>} <span class="hint">{one.source}, {ago(one.date)}</span></p>
            {one.summary && <p>{one.summary}</p>}
          </li>
        ))}</ol>
      )}</Wait>
      <More of={articles} />
    </>
  );
}

/** By the day of publication: how many of each sentiment, and their mean score. */
function Sentiment({ days }: { days: Day[] }): JSX.Element | null {
  const at = useMemo(() => days.map((one) => moment(`${one.day}T00:00:00Z`) / 1000), [days]);
  const lines = useMemo(() => (["positive", "neutral", "negative"] as const).map((name) => ({ name, values: days.map((one) => one[name]) })), [days]);
  const score = useMemo(() => [{ name: "mean score", values: days.map((one) => one.score) }], [days]);
  if (!days.some((one) => one.positive || one.neutral || one.negative)) return null;
  return (
    <section aria-label="Sentiment over time">
      <h2>Sentiment over time</h2>
      <div class="charts">
        <Chart label="Articles a day, by sentiment" at={at} lines={lines} unit={(value) => Number.isInteger(value) ? count(value) : ""} colours={[0, 1, 4]} days />
        <Chart label="Mean score a day, from -1 to 1" at={at} lines={score} unit={(value) => value.toFixed(1)} range={[-1, 1]} days />
      </div>
    </section>
  );
}

function Records({ title, rows }: { title: string; rows: Rows }): JSX.Element | null {
  if (!rows.length) return null;
  const columns = Object.keys(rows[0]!);
  return (
    <details><summary>{title} ({rows.length})</summary>
      <div class="plain" tabIndex={0} role="region" aria-label={title}><table><thead><tr>{columns.map((one) => <th scope="col" key={one}>{human(one)}</th>)}</tr></thead>
        <tbody>{rows.map((row, at) => <tr key={at}>{columns.map((one) => <td key={one}>{shown(row[one])}</td>)}</tr>)}</tbody></table></div>
    </details>
  );
}
