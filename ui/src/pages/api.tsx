// API: every route as the service describes it, offline.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useData } from "../hooks";
import { Badge, Wait } from "../parts/common";
import type { PageProps } from "../router";

interface Operation {
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: unknown }[];
  requestBody?: unknown;
  responses?: Record<string, { description?: string; content?: unknown }>;
}

interface Description {
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
}

export default function ApiPage(_: PageProps): JSX.Element {
  const found = useData<Description>("/openapi.json");
  const [text, setText] = useState("");
  return (
    <>
      <h1>HTTP API</h1>
      <p class="hint">The same as JSON: <a href="/openapi.json">/openapi.json</a></p>
      <div class="bar"><label>Filter <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label></div>
      <Wait of={found}>{(data) => (
        <ul class="list">{Object.entries(data.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => ({ path, method, one })))
          .filter(({ path, one }) => `${path} ${one.summary}`.toLowerCase().includes(text.toLowerCase())).map(({ path, method, one }) => (
            <li class="card" key={`${method} ${path}`}>
              <details>
                <summary><Badge kind={method === "get" ? "good" : "busy"}>{method.toUpperCase()}</Badge> <code>{path}</code> <span class="hint">{one.summary}</span></summary>
                {one.description && <p>{one.description}</p>}
                {one.parameters && one.parameters.length > 0 && <div class="plain"><table>
                  <thead><tr><th scope="col">parameter</th><th scope="col">in</th><th scope="col">what</th></tr></thead>
                  <tbody>{one.parameters.map((field) => <tr key={field.name}><th scope="row">{field.name}{field.required && " *"}</th><td>{field.in}</td><td>{field.description} <code>{JSON.stringify(field.schema)}</code></td></tr>)}</tbody>
                </table></div>}
                {one.requestBody !== undefined && <><h2>Body</h2><pre tabIndex={0}>{JSON.stringify(one.requestBody, null, 2)}</pre></>}
                <h2>Answers</h2><pre tabIndex={0}>{JSON.stringify(one.responses, null, 2)}</pre>
              </details>
            </li>
          ))}</ul>
      )}</Wait>
    </>
  );
}
