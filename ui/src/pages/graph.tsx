// Graph: what lies around a node, expanded in place, coloured and filtered by kind and state.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { count, human, INNER, several, timed } from "../format";
import { Drawing, idOf } from "../graph-model";
import { attempt, say, useData, useEvents } from "../hooks";
import Canvas from "../parts/canvas";
import { download, Wait } from "../parts/common";
import { address, go, type PageProps } from "../router";
import WholeGraph from "./graph-whole";
import type { Around, Machine, Table } from "../types";

const NEAR = 60;
const NEWS_MS = 4000;

export default function GraphPage({ place }: PageProps): JSX.Element {
  const machines = useData<Machine[]>("/machines");
  const tables = useData<Table[]>("/tables");
  return (
    <>
      <h1>Graph</h1>
      <Wait of={machines}>{(found) => <Wait of={tables}>{(all) => place.query.has("whole")
        ? <WholeGraph place={place} /> : <Explorer place={place} machines={found} tables={all} />}</Wait>}</Wait>
    </>
  );
}

function Explorer({ place, machines, tables }: PageProps & { machines: Machine[]; tables: Table[] }): JSX.Element {
  const drawing = useRef(new Drawing());
  const [version, setVersion] = useState(0);
  const [chosen, setChosen] = useState<string | null>(null);
  const [around, setAround] = useState<Around | null>(null);
  const [hidden, setHidden] = useState<Set<string>>(new Set());
  const [state, setState] = useState("");
  const [deepest, setDeepest] = useState("");
  const [by, setBy] = useState<"kind" | "state" | "depth">("kind");
  const kinds = tables.filter((one) => one.kind === "NODE").map((one) => one.name);
  const label = place.query.get("label") ?? machines[0]?.label ?? kinds[0] ?? "";
  const key = place.query.get("key") ?? "";
  const looked = useRef(0);

  const expand = (to: { label: string; key: string }, quiet = false) => attempt(async () => {
    const found = await get<Around>("/neighbourhood", { label: to.label, key: to.key, limit: NEAR });
    const more = drawing.current.add(found);
    setVersion((n) => n + 1);
    setChosen(idOf(found.node));
    setAround(found);
    if (!quiet) say(`${found.node.label} ${found.node.name}: ${several(total(found), "neighbour")}, ${more} new in the drawing.`);
  });
  const byId = (id: string) => {
    const { kind, key: found } = drawing.current.graph.getNodeAttributes(id);
    return { label: kind as string, key: found as string };
  };
  const choose = (id: string) => attempt(async () => {
    setChosen(id);
    const to = byId(id);
    setAround(await get<Around>("/neighbourhood", { label: to.label, key: to.key, limit: NEAR }));
  });

  useEffect(() => {
    if (key) void expand({ label, key }, true);
    else void begin(machines).then((first) => first && go(address("graph", [], first), true));
  }, [label, key]);
  useEffect(() => {
    drawing.current.hide((kind, properties) => !hidden.has(kind) && (!state || [properties.expansion_state, properties.state].includes(state))
      && (deepest === "" || typeof properties.expansion_depth !== "number" || properties.expansion_depth <= Number(deepest)));
    drawing.current.paint(by);
    setVersion((n) => n + 1);
  }, [hidden, state, deepest, by, around]);
  // It grows: look again at what is chosen, now and then.
  useEvents((name) => {
    if (!/batch|queue_changed/.test(name) || !around || document.hidden || performance.now() - looked.current < NEWS_MS) return;
    looked.current = performance.now();
    const { node } = around;
    void get<Around>("/neighbourhood", { label: node.label, key: node.key, limit: NEAR }).then((found) => {
      if (drawing.current.add(found)) setVersion((n) => n + 1);
    }, () => undefined);
  });

  const path = (to: string) => attempt(async () => {
    const from = around!.node;
    const found = await get<Pick<Around, "nodes" | "edges">>("/path", { label: from.label, key: from.key, to });
    if (!found.nodes.length) return say(`There is no way from ${from.name} to ${to} in 8 steps.`);
    drawing.current.addPath(found);
    setVersion((n) => n + 1);
    return say(`${several(found.nodes.length - 1, "step")}: ${found.nodes.map((one) => one.name).join(" → ")}`);
  });
  const clear = () => {
    drawing.current.graph.clear();
    setAround(null);
    if (key) void expand({ label, key }, true);
  };
  const states = [...new Set(machines.flatMap((one) => one.states.map((found) => found.name)))];
  return (
    <>
      <Form label={label} value={key} kinds={kinds} />
      <div class="bar" role="group" aria-label="Filters">
        <label>State <select value={state} onChange={(event) => setState(event.currentTarget.value)}><option value="">any</option>{states.map((one) => <option key={one}>{one}</option>)}</select></label>
        <label>Depth up to <input type="number" min={0} value={deepest} onInput={(event) => setDeepest(event.currentTarget.value)} /></label>
        <label>Colour by <select value={by} onChange={(event) => setBy(event.currentTarget.value as typeof by)}>{["kind", "state", "depth"].map((one) => <option key={one}>{one}</option>)}</select></label>
        {drawing.current.kinds.map((kind) => (
          <button type="button" key={kind} aria-pressed={!hidden.has(kind)} onClick={() => setHidden((before) => {
            const next = new Set(before);
            if (!next.delete(kind)) next.add(kind);
            return next;
          })}>{kind}</button>
        ))}
        <button type="button" onClick={() => go(address("graph", [], { whole: label }))}>The whole graph</button>
        <button type="button" onClick={clear}>Clear</button>
        <button type="button" onClick={() => download("graph.svg", drawing.current.toSvg(), "image/svg+xml")}>Save as SVG</button>
        <button type="button" onClick={() => savePng(drawing.current.toSvg())}>Save as PNG</button>
      </div>
      <ul class="legend" aria-label="Kinds">{drawing.current.kinds.map((kind, at) => <li key={kind} data-kind={at % 8}>{kind}</li>)}</ul>
      <div class="split">
        <div><Canvas drawing={drawing.current} version={version} chosen={chosen} choose={choose} expand={(id) => void expand(byId(id))} /></div>
        <aside class="panel" aria-label="The chosen node">
          {around ? <Side around={around} machines={machines} expand={expand} path={path} /> : <p class="hint">{key ? "Loading …" : "Type a kind and a key, or wait for the first article."}</p>}
        </aside>
      </div>
    </>
  );
}

const total = (found: Around): number => found.degree?.reduce((sum, one) => sum + one.count, 0) ?? found.edges.length;

async function begin(machines: Machine[]): Promise<{ label: string; key: string } | null> {
  for (const machine of machines) {
    const { rows } = await get<{ rows: { key: string }[] }>(`/pipelines/${machine.pipeline}/rows`, { limit: 1 });
    if (rows[0]) return { label: machine.label, key: rows[0].key };
  }
  return null;
}

function Form({ label, value, kinds }: { label: string; value: string; kinds: string[] }): JSX.Element {
  const [kind, setKind] = useState(label);
  const [key, setKey] = useState(value);
  useEffect(() => { setKind(label); setKey(value); }, [label, value]);
  return (
    <form class="bar" role="search" onSubmit={(event) => { event.preventDefault(); if (key.trim()) go(address("graph", [], { label: kind, key: key.trim() })); }}>
      <label>Kind <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>{kinds.map((one) => <option key={one}>{one}</option>)}</select></label>
      <label class="grow">Key <input value={key} maxLength={2000} onInput={(event) => setKey(event.currentTarget.value)} /></label>
      <button type="submit" class="primary">Show</button>
    </form>
  );
}

interface SideProps {
  around: Around;
  machines: Machine[];
  expand: (to: { label: string; key: string }) => void;
  path: (to: string) => void;
}

function Side({ around, machines, expand, path }: SideProps): JSX.Element {
  const [to, setTo] = useState("");
  const { node } = around;
  const machine = machines.find((one) => one.label === node.label);
  const many = total(around);
  return (
    <>
      <h2>{node.label} {node.name}</h2>
      <p class="buttons">
        <button type="button" onClick={() => expand(node)}>Expand</button>
        {machine && <a href={address("row", [machine.pipeline], { key: node.key })}>Its row</a>}
      </p>
      {machine && <form class="bar" onSubmit={(event) => { event.preventDefault(); if (to.trim()) path(to.trim()); }}>
        <label class="grow">Path to <input value={to} maxLength={2000} onInput={(event) => setTo(event.currentTarget.value)} /></label>
        <button type="submit">Find</button>
      </form>}
      <div class="plain"><table><tbody>{Object.entries(node.properties).filter(([name]) => !INNER.has(name)).map(([name, value]) => (
        <tr key={name}><th scope="row">{human(name)}</th><td>{timed(value)}</td></tr>
      ))}</tbody></table></div>
      <h2 data-testid="neighbours">{several(many, "neighbour")}{many > around.edges.length && `, ${count(around.edges.length)} of them here`}</h2>
      <ul class="list scroll" tabIndex={0} aria-label="Neighbours">{around.edges.map((edge, at) => {
        const outward = edge.source.key === node.key && edge.source.label === node.label;
        const end = outward ? edge.target : edge.source;
        const name = around.nodes.find((one) => one.label === end.label && one.key === end.key)?.name ?? end.key;
        return <li key={at}><span class="hint">{edge.type} {outward ? "→" : "←"}</span> <button type="button" class="link" onClick={() => expand(end)}>{name}</button></li>;
      })}</ul>
    </>
  );
}

/** The vector picture, drawn at twice its size. */
function savePng(svg: string): void {
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    canvas.width = 2 * image.width;
    canvas.height = 2 * image.height;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    const link = document.createElement("a");
    link.href = canvas.toDataURL("image/png");
    link.download = "graph.png";
    link.click();
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}
