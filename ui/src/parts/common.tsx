// Small parts that every page uses.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { askWith, Refused } from "../api";
import { duration } from "../format";
import type { Loaded, Pages } from "../hooks";
import type { Row } from "../types";

export function Badge({ kind, children }: { kind?: string; children: ComponentChildren }): JSX.Element {
  return <span class="badge" data-kind={kind}>{children}</span>;
}

/** The colour of a state is that of what it means for people. */
export function StateBadge({ state }: { state: string | null }): JSX.Element {
  const name = state ?? "(none)";
  const kind = /fail|error/.test(name) ? "bad" : /process|complet|done|loaded/.test(name) && !/ing$/.test(name) ? "good"
    : /claim|ing$/.test(name) ? "busy" : /partial|paused/.test(name) ? "warn" : "";
  return <Badge kind={kind}>{name.replaceAll("_", " ")}</Badge>;
}

/** Whether it would be claimed now, and if not, when. */
export function standing(row: Row): string {
  if (row.prioritised) return "ready, first";
  return row.due_in_seconds === null ? row.standing : `due in ${duration(row.due_in_seconds)}`;
}

export function Facts({ of }: { of: [string, ComponentChildren][] }): JSX.Element {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What is asked for, once it is there; otherwise that it is not, and why. */
export function Wait<T>({ of, children, waiting = "Loading …" }: { of: Loaded<T>; children: (data: T) => ComponentChildren; waiting?: string }): JSX.Element {
  if (of.data !== null) {
    return (
      <>
        {of.error && <p class="error" role="alert">{of.error}</p>}
        {children(of.data)}
      </>
    );
  }
  if (of.error) return <p class="error" role="alert">{of.error} <button type="button" onClick={of.again}>Try again</button></p>;
  return <p class="hint" aria-busy="true">{waiting}</p>;
}

/** The way to the next page of a list, where there is one. */
export function More({ of }: { of: Pages<unknown> }): JSX.Element | null {
  return of.more && <p><button type="button" onClick={of.more}>Load more</button></p>;
}

function useModal(shown: boolean) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (shown && !dialog.current?.open) dialog.current?.showModal();
    if (!shown && dialog.current?.open) dialog.current.close();
  }, [shown]);
  return dialog;
}

interface Question {
  why: string;
  answer: (token: string) => void;
  cancel: () => void;
}

/** The one dialog that asks for the token. */
export function TokenDialog(): JSX.Element {
  const [question, setQuestion] = useState<Question | null>(null);
  const [token, setToken] = useState("");
  const dialog = useModal(question !== null);
  useEffect(() => askWith((why) => new Promise((resolve, reject) => {
    setToken("");
    setQuestion({ why, answer: resolve, cancel: () => reject(new Refused(401, "Not done: it needs the token.")) });
  })), []);
  const end = (finish?: () => void) => {
    setQuestion(null);
    finish?.();
  };
  return (
    <dialog ref={dialog} aria-labelledby="token-title" onCancel={(event) => { event.preventDefault(); end(question?.cancel); }}>
      <form method="dialog" onSubmit={(event) => { event.preventDefault(); if (token.trim()) end(() => question?.answer(token.trim())); }}>
        <h2 id="token-title">Log in</h2>
        <p>{question?.why} Run <code>graphvine open</code> for a link that logs you in, or paste the token from the file
          beside the graph that ends in <code>.service</code>.</p>
        <label>Token <input type="password" autocomplete="off" required value={token}
          onInput={(event) => setToken(event.currentTarget.value)} /></label>
        <p class="buttons">
          <button type="submit" class="primary">Log in</button>
          <button type="button" onClick={() => end(question?.cancel)}>Cancel</button>
        </p>
      </form>
    </dialog>
  );
}

export interface Confirmation {
  title: string;
  text: string;
  action: string;
  run: () => void;
}

/** Ask before something that touches many rows, with their number. */
export function Confirm({ of, close }: { of: Confirmation | null; close: () => void }): JSX.Element {
  const dialog = useModal(of !== null);
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onCancel={(event) => { event.preventDefault(); close(); }}>
      <h2 id="confirm-title">{of?.title}</h2>
      <p>{of?.text}</p>
      <p class="buttons">
        <button type="button" class="primary" onClick={() => { close(); of?.run(); }}>{of?.action}</button>
        <button type="button" onClick={close}>Cancel</button>
      </p>
    </dialog>
  );
}

/** Hand a text to the browser as a file. */
export function download(name: string, text: string, type = "text/csv"): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
