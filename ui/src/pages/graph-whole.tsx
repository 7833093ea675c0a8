// The whole of a large graph: its communities, the rows of one of them, or all rows with reduced detail.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { withQuery } from "../api";
import { count, duration, several } from "../format";
import { useData } from "../hooks";
import { Wait } from "../parts/common";
import PointsCanvas from "../parts/points-canvas";
import { address, go, type PageProps } from "../router";
import type { CommunityOverview, RowsDrawn } from "../types";
import { type ColourBy, MOST_EDGES, ofCommunities, ofRows } from "../whole-model";

/** Up to so many nodes are drawn with all detail. */
const DETAIL = 5000;
const LISTED = 200;

export default function WholeGraph({ place }: PageProps): JSX.Element {
  const kinds = useData<string[]>("/communities/kinds");
  return <Wait of={kinds}>{(found) => <Whole place={place} kinds={found} />}</Wait>;
}

function Whole({ place, kinds }: PageProps & { kinds: string[] }): JSX.Element {
  const asked = place.query.get("whole") ?? "";
  const label = kinds.includes(asked) ? asked : kinds[0] ?? "";
  const community = place.query.get("community");
  const rows = place.query.get("rows") === "all";
  return (
    <>
      <div class="bar" role="group" aria-label="What is drawn">
        <label>Kind <select value={label} onChange={(event) => go(address("graph", [], { whole: event.currentTarget.value }))}>{kinds.map((one) => <option key={one}>{one}</option>)}</select></label>
        <button type="button" aria-pressed={!rows && community === null} onClick={() => go(address("graph", [], { whole: label }))}>Communities</button>
        <button type="button" aria-pressed={rows} onClick={() => go(address("graph", [], { whole: label, rows: "all" }))}>All rows</button>
        <button type="button" onClick={() => go(address("graph", [], { label }))}>Around one node</button>
      </div>
      {rows ? <Rows key={label} label={label} path={withQuery("/drawing", { label })} /> : community !== null
        ? <Rows key={label + community} label={label} path={withQuery(`/communities/${encodeURIComponent(community)}`, { label })} />
        : <Communities key={label} label={label} />}
    </>
  );
}

function Communities({ label }: { label: string }): JSX.Element {
  const found = useData<CommunityOverview>(withQuery("/communities", { label }));
  return (
    <Wait of={found} waiting="Reading the graph and finding its communities: some seconds for 100,000 nodes …">{(data) => <Overview label={label} found={data} />}</Wait>
  );
}

function Overview({ label, found }: { label: string; found: CommunityOverview }): JSX.Element {
  const points = useMemo(() => ofCommunities(found), [found]);
  const names = found.communities.map((one) => one.name);
  const open = (id: string | number) => go(address("graph", [], { whole: label, community: String(id) }));
  const { total } = found;
  if (!total.nodes) return <p class="hint">There are no rows of {label} yet.</p>;
  return (
    <>
      <p data-testid="whole">{several(total.nodes, "node")}, {several(total.edges, "edge")} ({found.relations.join(", ")}), {communities(total.communities)}
        {total.communities > found.communities.length && `, the largest ${count(found.communities.length)} of them here`}. {aged(found.age_seconds)}</p>
      <div class="split">
        <div><PointsCanvas points={points} names={names} choose={(at) => open(found.communities[at]!.id)} label={`A drawing of ${communities(found.communities.length)}; the list beside it opens them, too`} /></div>
        <aside class="panel" aria-label="Communities">
          <h2>Communities</h2>
          <p class="hint">Each is named by its best connected row. A click opens it.</p>
          <ul class="list scroll" tabIndex={0} aria-label="Communities by size">{found.communities.slice(0, LISTED).map((one) => (
            <li key={one.id} class="pair"><button type="button" class="link" onClick={() => open(one.id)}>{one.name}</button> <span class="hint number">{several(one.size, "row")}</span></li>
          ))}</ul>
        </aside>
      </div>
    </>
  );
}

function Rows({ label, path }: { label: string; path: string }): JSX.Element {
  const found = useData<RowsDrawn>(path);
  return <Wait of={found} waiting="Reading the graph: some seconds for 100,000 nodes …">{(data) => <Drawn label={label} found={data} />}</Wait>;
}

function Drawn({ label, found }: { label: string; found: RowsDrawn }): JSX.Element {
  const [by, setBy] = useState<ColourBy>(found.community === undefined ? "community" : "state");
  const reduced = found.keys.length > DETAIL;
  const points = useMemo(() => ofRows(found, by, reduced), [found, by]);
  const show = (key: string) => go(address("graph", [], { label, key }));
  const all = found.size ?? found.total.nodes;
  const left = reduced && found.pairs.length > 2 * MOST_EDGES;
  if (!found.keys.length) return <p class="hint">There is nothing here: {found.community === undefined ? `no rows of ${label} yet` : "the communities were found again since, open the list of them"}.</p>;
  return (
    <>
      <p data-testid="whole">{found.community !== undefined && `Community of ${found.keys[0]}: `}{several(all, "node")}
        {all > found.keys.length && `, the best connected ${count(found.keys.length)} of them here`}, {several(found.pairs.length / 2, "edge")} among them
        {left && ", which are too many to draw"}. {aged(found.age_seconds)}</p>
      <div class="bar"><label>Colour by <select value={by} onChange={(event) => setBy(event.currentTarget.value as ColourBy)}>
        {(["community", "state", "depth"] as const).map((one) => <option key={one}>{one}</option>)}</select></label></div>
      <div class="split">
        <div><PointsCanvas points={points} names={found.keys} choose={(at) => show(found.keys[at]!)}
          label={`A drawing of ${several(found.keys.length, "node")}; the list beside it has the best connected`} /></div>
        <aside class="panel" aria-label="Rows">
          <h2>Best connected</h2>
          <ul class="list scroll" tabIndex={0} aria-label="Best connected rows">{found.keys.slice(0, LISTED).map((key, at) => (
            <li key={key} class="pair"><button type="button" class="link" onClick={() => show(key)}>{key}</button> <span class="hint number">{several(found.degrees[at]!, "edge")}</span></li>
          ))}</ul>
        </aside>
      </div>
    </>
  );
}

const communities = (number: number): string => (number === 1 ? "1 community" : `${count(number)} communities`);
const aged = (seconds: number): string => (seconds < 2 ? "Read just now." : `Read ${duration(seconds)} ago.`);
