// Uploads: files of items with their progress, what was wrong with single items, and another try.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { post, request, message, Refused } from "../api";
import { ago, bytes, count, shown } from "../format";
import { attempt, say, useEvents, usePages } from "../hooks";
import { Facts, More, StateBadge, Wait } from "../parts/common";
import { address, type PageProps } from "../router";

interface Upload {
  upload_id: string;
  state: string;
  filename: string;
  file_size: number;
  total_items: number;
  processed_items: number;
  failed_items: number;
  new_items: number;
  updated_items: number;
  progress_percent: number;
  uploaded_at: string | null;
  validation_errors: string[];
  failure_reason: string | null;
}

export default function UploadsPage({ place }: PageProps): JSX.Element {
  const uploads = usePages<Upload>("/uploads", (one) => one.upload_id, 2000);
  const [busy, setBusy] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  useEvents((name) => { if (name === "upload") uploads.again(); });
  const submit = (event: Event) => {
    event.preventDefault();
    const chosen = file.current?.files?.[0];
    if (!chosen) return say("Choose a file first.");
    setBusy(true);
    void attempt(async () => {
      const form = new FormData();
      form.append("file", chosen, chosen.name);
      const answer = await request("POST", "/uploads", form);
      const text = await answer.text();
      if (!answer.ok) throw new Refused(answer.status, message(text, answer.status));
      say(`${chosen.name} is being worked on.`);
      uploads.again();
    }).finally(() => setBusy(false));
  };
  const step = (id: string, name: string) => attempt(async () => { await post(`/uploads/${id}/${name}`); say(`${name} has begun.`); uploads.again(); });
  return (
    <>
      <h1>Uploads</h1>
      <form class="bar" onSubmit={submit}>
        <label class="grow">A file of items: JSON or JSON Lines, plain, gzip or zstd <input type="file" ref={file} /></label>
        <button type="submit" class="primary" disabled={busy}>{busy ? "Sending …" : "Upload"}</button>
      </form>
      <Wait of={uploads}>{(data) => data.length === 0 ? <p class="hint">Nothing was uploaded yet.</p> : (
        <ul class="list">{data.map((one) => (
          <li class="card" key={one.upload_id}>
            <div class="top"><h2>{one.filename}</h2><StateBadge state={one.state} />
              {one.failed_items > 0 && /failed|partial/.test(one.state) && <button type="button" onClick={() => step(one.upload_id, "retry")}>Retry what failed</button>}</div>
            <progress max={100} value={one.progress_percent} aria-label={`Progress of ${one.filename}`} />
            <Facts of={[["items", count(one.total_items)], ["processed", count(one.processed_items)], ["failed", count(one.failed_items)], ["new", count(one.new_items)],
              ["updated", count(one.updated_items)], ["size", bytes(one.file_size)], ["uploaded", ago(one.uploaded_at)]]} />
            <p><a href={address("row", ["upload"], { key: one.upload_id })}>History of {one.upload_id}</a></p>
            {one.failure_reason && <p class="error">{one.failure_reason}</p>}
            {one.validation_errors?.map((error) => <p class="error" key={error}>{error}</p>)}
            {one.failed_items > 0 && <Errors id={one.upload_id} open={place.parts[0] === one.upload_id} />}
          </li>
        ))}</ul>
      )}</Wait>
      <More of={uploads} />
    </>
  );
}

function Errors({ id, open }: { id: string; open: boolean }): JSX.Element {
  const [shownNow, setShown] = useState(open);
  const errors = usePages<Record<string, unknown>>(shownNow ? `/uploads/${id}/errors?limit=200` : null, (row) => String(row.index));
  return (
    <details open={open} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>What was wrong with single items</summary>
      {shownNow && <Wait of={errors}>{(rows) => (
        <div class="plain" tabIndex={0} role="region" aria-label="Errors"><table>
          <thead><tr><th scope="col">item</th><th scope="col">id</th><th scope="col">field</th><th scope="col">what is wrong</th><th scope="col">given</th></tr></thead>
          <tbody>{rows.map((row, at) => <tr key={at}>{["index", "hnId", "field", "message", "given"].map((name) => <td key={name}>{shown(row[name])}</td>)}</tr>)}</tbody>
        </table></div>
      )}</Wait>}
      <More of={errors} />
    </details>
  );
}
