// Query: Cypher with completion, parameters and history; results as a table, as JSON or as a graph; CSV.

import type { ComponentType, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../api";
import { count, csv, several, shown } from "../format";
import { attempt, say, useData } from "../hooks";
import { download } from "../parts/common";
import { VirtualTable } from "../parts/table";
import { cell } from "../result-graph";
import { address, go, type PageProps } from "../router";
import type { Machine, Table } from "../types";

const KEPT = "graphvine-queries";
const MOST_KEPT = 30;
const FIRST = "MATCH (a:Article) RETURN a.title, a.expansion_state, a.expansion_depth LIMIT 25";

interface Answer {
  data: { fields: string[]; values: unknown[][] };
  notifications?: { description: string }[];
}

type View = "table" | "graph" | "json";
type Drawn = ComponentType<{ rows: unknown[][]; machines: Machine[] }>;

const kept = (): string[] => JSON.parse(localStorage.getItem(KEPT) ?? "[]") as string[];

export default function QueryPage({ place }: PageProps): JSX.Element {
  const tables = useData<Table[]>("/tables");
  // What is put into the editor from outside; what somebody types there is only kept.
  const [given, setGiven] = useState({ text: place.query.get("q") ?? kept()[0] ?? FIRST });
  const [parameters, setParameters] = useState("{}");
  const [writes, setWrites] = useState(false);
  const [answer, setAnswer] = useState<(Answer & { seconds: number; plan: boolean }) | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [view, setView] = useState<View>("table");
  const [Drawing, setDrawing] = useState<{ of: Drawn } | null>(null);
  const machines = useData<Machine[]>(view === "graph" ? "/machines" : null);
  const [past, setPast] = useState(kept());
  const latest = useRef(given.text);

  // What draws is loaded when it is first asked for.
  const draw = () => attempt(async () => {
    setView("graph");
    if (!Drawing) setDrawing({ of: (await import("../parts/result-drawing")).default });
  });
  const run = (statement = latest.current) => attempt(async () => {
    setBusy(true);
    setError(null);
    const began = performance.now();
    try {
      const values = JSON.parse(parameters || "{}") as Record<string, unknown>;
      const found = await post<Answer>("/cypher", { statement, parameters: values, accessMode: writes ? "WRITE" : "READ" });
      setAnswer({ ...found, seconds: (performance.now() - began) / 1000, plan: /^\s*(explain|profile)\b/i.test(statement) });
      say(`${several(found.data.values.length, "row")}${found.notifications ? ", cut" : ""}.`);
      const next = [statement, ...kept().filter((one) => one !== statement)].slice(0, MOST_KEPT);
      localStorage.setItem(KEPT, JSON.stringify(next));
      setPast(next);
      go(address("query", [], { q: statement.length < 1500 ? statement : "" }), true);
    } catch (failed) {
      setAnswer(null);
      setError(failed instanceof SyntaxError ? `The parameters are not JSON: ${failed.message}` : (failed as Error).message);
    } finally {
      setBusy(false);
    }
  });
  const rows = answer?.data.values.map((values, at) => ({ at, values })) ?? [];
  return (
    <>
      <h1>Query</h1>
      <Editor given={given} tables={tables.data ?? []} onChange={(text) => { latest.current = text; }} onRun={() => void run()} />
      <div class="bar">
        <button type="button" class="primary" disabled={busy} onClick={() => run()}>Run (Ctrl+Enter)</button>
        <button type="button" disabled={busy} onClick={() => run(`EXPLAIN ${latest.current.replace(/^\s*explain\s+/i, "")}`)}>Plan</button>
        <label>Parameters, JSON <input class="mono" value={parameters} onInput={(event) => setParameters(event.currentTarget.value)} /></label>
        <label>History <select class="narrow" value="" onChange={(event) => event.currentTarget.value && setGiven({ text: event.currentTarget.value })}>
          <option value="">choose …</option>{past.map((one) => <option key={one} value={one}>{one.slice(0, 80)}</option>)}</select></label>
        <label class="check"><input type="checkbox" checked={writes} onChange={(event) => setWrites(event.currentTarget.checked)} /> May write</label>
      </div>
      {error && <p class="error" role="alert">{error}</p>}
      {answer && (
        <>
          <div class="bar" role="group" aria-label="Result">
            <p class="grow">{several(answer.data.values.length, "row")} in {answer.seconds.toFixed(2)} s{answer.notifications?.map((one) => `; ${one.description}`)}</p>
            <button type="button" aria-pressed={view === "table"} onClick={() => setView("table")}>Table</button>
            <button type="button" aria-pressed={view === "graph"} onClick={() => void draw()}>Graph</button>
            <button type="button" aria-pressed={view === "json"} onClick={() => setView("json")}>JSON</button>
            <button type="button" onClick={() => download("result.csv", csv(answer.data.fields, answer.data.values))}>Download CSV</button>
          </div>
          {answer.plan ? <pre class="plan" tabIndex={0} aria-label="Plan">{answer.data.values.flat().map(shown).join("\n")}</pre>
            : view === "graph" ? Drawing && machines.data ? <Drawing.of rows={answer.data.values} machines={machines.data} /> : <p class="hint" aria-busy="true">Loading …</p>
            : view === "table" ? <VirtualTable label="Result" rows={rows} keyOf={(row) => String(row.at)} columns={answer.data.fields.map((name, at) => ({
                name, width: "minmax(9rem, 1fr)", cell: (row: { values: unknown[] }) => <span title={shown(row.values[at])}>{cell(row.values[at])}</span>,
              }))} />
            : <pre tabIndex={0}>{JSON.stringify(answer.data.values.slice(0, 500).map((row) => Object.fromEntries(answer.data.fields.map((name, at) => [name, row[at]]))), null, 2)}{answer.data.values.length > 500 ? `\n… ${count(answer.data.values.length - 500)} more` : ""}</pre>}
        </>
      )}
      <p class="hint">It reads only, unless “May write” is set and you are logged in.</p>
      {tables.data && (
        <details><summary>Tables</summary>
          {(["NODE", "REL"] as const).map((kind) => (
            <p key={kind} class="hint"><strong>{kind === "NODE" ? "Nodes" : "Relationships"}</strong>: {tables.data!.filter((one) => one.kind === kind).map((one) => one.name).join(", ")}</p>
          ))}
        </details>
      )}
    </>
  );
}

interface EditorProps {
  given: { text: string };
  tables: Table[];
  onChange: (text: string) => void;
  onRun: () => void;
}

function Editor({ given, tables, onChange, onRun }: EditorProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<import("@codemirror/view").EditorView | null>(null);
  const now = useRef({ tables, onChange, onRun });
  now.current = { tables, onChange, onRun };
  useEffect(() => {
    let over = false;
    void import("../cypher").then(({ createEditor }) => {
      if (over || !box.current) return;
      const root = box.current.shadowRoot ?? box.current.attachShadow({ mode: "open" });
      view.current = createEditor({
        root, text: given.text, onChange: (changed) => now.current.onChange(changed), onRun: () => now.current.onRun(),
        names: () => ({
          labels: now.current.tables.map((one) => one.name),
          properties: [...new Set(now.current.tables.flatMap((one) => one.properties.map(([name]) => name)))],
        }),
      });
    });
    return () => {
      over = true;
      view.current?.destroy();
    };
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: given.text } });
  }, [given]);
  return <div class="editor" ref={box} />;
}
