// What pages share: data that is asked for again and again, the events of the service, and one line that says what was done.

import { useEffect, useRef, useState } from "preact/hooks";
import { get, type Refused } from "./api";
import { listen, type Facts } from "./events";
import type { Page } from "./row-window";

export interface Loaded<T> {
  data: T | null;
  error: string | null;
  again: () => void;
}

/** Ask for something now, when it changes its address, and every so often while the page is seen. */
export function useData<T>(path: string | null, everyMs = 0): Loaded<T> {
  const [state, setState] = useState<{ path: string | null; data: T | null; error: string | null }>({ path, data: null, error: null });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (path === null) return;
    const given = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      if (!document.hidden) {
        try {
          const data = await get<T>(path, {}, given.signal);
          setState({ path, data, error: null });
        } catch (error) {
          if ((error as Error).name === "AbortError") return;
          setState((before) => ({ path, data: before.path === path ? before.data : null, error: (error as Refused).message }));
        }
      }
      if (everyMs && !given.signal.aborted) timer = setTimeout(look, everyMs);
    };
    void look();
    return () => {
      given.abort();
      clearTimeout(timer);
    };
  }, [path, everyMs, turn]);
  const current = state.path === path;
  return { data: current ? state.data : null, error: current ? state.error : null, again: () => setTurn((n) => n + 1) };
}

export interface Pages<T> extends Loaded<T[]> {
  /** Ask for the page behind the last one; null where there is none. */
  more: (() => void) | null;
}

/** What is known of a list when its first page was read again: what came since stands on top, what is gone is left out. */
export function merged<T>(before: Page<T>, first: Page<T>, keyOf: (row: T) => string): Page<T> {
  const last = first.rows.at(-1);
  const at = last === undefined || first.next === null ? -1 : before.rows.findIndex((row) => keyOf(row) === keyOf(last));
  if (at < 0) return first;
  const rest = before.rows.slice(at + 1);
  return rest.length ? { rows: [...first.rows, ...rest], next: before.next } : first;
}

/** A list that is read page by page: the first again and again, those behind it when somebody wants more. */
export function usePages<T>(path: string | null, keyOf: (row: T) => string, everyMs = 0): Pages<T> {
  const first = useData<Page<T>>(path, everyMs);
  const [known, setKnown] = useState<{ path: string | null; page: Page<T> } | null>(null);
  useEffect(() => {
    const page = first.data;
    if (page) setKnown((before) => ({ path, page: before?.path === path ? merged(before.page, page, keyOf) : page }));
  }, [first.data]);
  const page = known?.path === path ? known.page : first.data;
  const more = path !== null && page && page.next !== null ? () => void attempt(async () => {
    const got = await get<Page<T>>(path, { after: page.next });
    setKnown((now) => now?.path === path && now.page.next === page.next ? { path, page: { rows: [...now.page.rows, ...got.rows], next: got.next } } : now);
  }) : null;
  return { data: page?.rows ?? null, error: first.error, again: first.again, more };
}

type Listener = (name: string, facts: Facts) => void;
const listeners = new Set<Listener>();
const lines = new Set<(open: boolean) => void>();
let open = false;
let started = false;

/** One connection for the whole page, however many parts of it listen. */
function start(): void {
  if (started) return;
  started = true;
  listen(
    (name, facts) => listeners.forEach((one) => one(name, facts)),
    (now) => {
      open = now;
      lines.forEach((one) => one(now));
    },
  );
}

export function useEvents(heard: Listener): void {
  const last = useRef(heard);
  last.current = heard;
  useEffect(() => {
    const listener: Listener = (name, facts) => last.current(name, facts);
    listeners.add(listener);
    start();
    return () => void listeners.delete(listener);
  }, []);
}

export function useLine(): boolean {
  const [state, setState] = useState(open);
  useEffect(() => {
    lines.add(setState);
    start();
    setState(open);
    return () => void lines.delete(setState);
  }, []);
  return state;
}

const sayers = new Set<(text: string) => void>();

/** Tell everybody, screen readers too, what was done or why it was not. */
export function say(text: string): void {
  sayers.forEach((one) => one(text));
}

export function useSaid(): string {
  const [text, setText] = useState("");
  useEffect(() => {
    sayers.add(setText);
    return () => void sayers.delete(setText);
  }, []);
  return text;
}

/** Run something that may be refused; the refusal is said. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if ((error as Error).name !== "AbortError") say((error as Error).message);
    return undefined;
  }
}
