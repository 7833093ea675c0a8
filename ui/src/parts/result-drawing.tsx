// The result of a query as a graph, with the properties of the node that is chosen.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { human, INNER, several, timed } from "../format";
import { Drawing, idOf } from "../graph-model";
import { drawable, MOST_DRAWN } from "../result-graph";
import { address } from "../router";
import type { Machine, Node } from "../types";
import Canvas from "./canvas";

export default function ResultDrawing({ rows, machines }: { rows: unknown[][]; machines: Machine[] }): JSX.Element {
  const [chosen, setChosen] = useState<string | null>(null);
  const found = useMemo(() => drawable(rows), [rows]);
  const drawing = useMemo(() => {
    const made = new Drawing();
    made.addAll(found);
    return made;
  }, [found]);
  const byId = new Map(found.nodes.map((one) => [idOf(one), one]));
  if (!found.nodes.length) {
    return <p class="hint">There is no node in this result. Return nodes and relationships to see them drawn, such as <code>MATCH (a:Article)-[r:LINKS_TO]-&gt;(b:Article) RETURN a, r, b LIMIT 100</code>.</p>;
  }
  const node = chosen === null ? null : byId.get(chosen) ?? null;
  return (
    <>
      <p class="hint" data-testid="drawn">{several(found.nodes.length, "node")} and {several(found.edges.length, "relationship")}{found.cut && `: the first ${MOST_DRAWN} nodes`}</p>
      <ul class="legend" aria-label="Kinds">{drawing.kinds.map((kind, at) => <li key={kind} data-kind={at % 8}>{kind}</li>)}</ul>
      <div class="split">
        <div><Canvas drawing={drawing} version={0} chosen={chosen} choose={setChosen} expand={setChosen} /></div>
        <aside class="panel" aria-label="Nodes of the result">
          {node && <Chosen node={node} machine={machines.find((one) => one.label === node.label)} />}
          <h2>Nodes</h2>
          <ul class="list scroll" tabIndex={0} aria-label="List of nodes">{found.nodes.slice(0, 500).map((one) => (
            <li key={one.key}><span class="hint">{one.label}</span> <button type="button" class="link" aria-pressed={chosen === idOf(one)} onClick={() => setChosen(idOf(one))}>{one.name}</button></li>
          ))}</ul>
        </aside>
      </div>
    </>
  );
}

function Chosen({ node, machine }: { node: Node; machine?: Machine }): JSX.Element {
  const key = machine && node.properties[machine.key];
  return (
    <>
      <h2>{node.label} {node.name}</h2>
      {key !== undefined && machine && <p class="buttons"><a href={address("graph", [], { label: node.label, key: String(key) })}>Its neighbours</a> <a href={address("row", [machine.pipeline], { key: String(key) })}>Its row</a></p>}
      <div class="plain"><table><tbody>{Object.entries(node.properties).filter(([name]) => !INNER.has(name)).map(([name, value]) => (
        <tr key={name}><th scope="row">{human(name)}</th><td>{timed(value)}</td></tr>
      ))}</tbody></table></div>
    </>
  );
}
