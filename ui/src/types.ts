// What the service answers, as far as the pages use it.

export interface Status {
  pipeline: string;
  paused: boolean;
  paused_reason: string | null;
  states: Record<string, number>;
  ready: number;
  backing_off: number;
  claimed: number;
  failed: number;
  skipped: number;
  total: number;
  beyond_depth: number;
  progress_percent: number;
  oldest_heartbeat: string | null;
}

export interface Figures {
  status: Status;
  title: string;
  finished: number;
  resting: Record<string, number>;
  per_second: number | null;
  eta_seconds: number | null;
  oldest_ready_seconds: number | null;
  workers: number;
  activity: string;
}

export interface Alert {
  level: "note" | "warning" | "serious";
  pipeline: string | null;
  message: string;
  advice: string;
  link: string | null;
}

export interface Overview {
  graph: string;
  engine: string;
  version: string;
  seconds: number;
  pipelines: Figures[];
  system: Record<string, number | string | null>;
  alerts: Alert[];
}

export interface Span {
  every_seconds: number;
  at: number[];
  pipelines: Record<string, Record<string, (number | null)[]>>;
}

export interface Row {
  seq: string;
  key: string;
  state: string | null;
  standing: string;
  prioritised: boolean;
  depth: number | null;
  retries: number | null;
  due_in_seconds: number | null;
  error: string | null;
  name: string | null;
  worker: string | null;
  claimed_at: string | null;
  at: string | null;
}

export interface RowDetail {
  pipeline: string;
  label: string;
  row: Row;
  properties: Record<string, unknown>;
  failures: { at: string; attempt: number; kind: string; message: string; trace: string | null }[];
  history: { at: string; move: string; state: string; worker: string | null; note: string | null; seconds_since_last: number | null }[];
}

export interface Machine {
  pipeline: string;
  label: string;
  column: string;
  key: string;
  states: { name: string; initial: boolean; final: boolean; claimed: boolean; beyond: string }[];
  moves: { source: string | null; target: string; block: string; transition: string; manual: boolean; purpose: string }[];
  counts: Record<string, number>;
}

export interface Node {
  label: string;
  key: string;
  name: string;
  properties: Record<string, unknown>;
}

export interface End {
  label: string;
  key: string;
}

export interface Around {
  node: Node;
  nodes: Node[];
  edges: { type: string; source: End; target: End }[];
  degree?: { type: string; outward: boolean; count: number }[];
}

export interface Table {
  name: string;
  kind: string;
  properties: [string, string][];
}

export interface Job {
  id: string;
  verb: string;
  state: string;
  started_at: string;
  ended_at: string | null;
  error: string | null;
  result: unknown;
  asked: unknown;
  last_event: { name: string; facts: unknown } | null;
}

interface Whole {
  label: string;
  relations: string[];
  age_seconds: number;
  total: { nodes: number; edges: number; communities: number };
}

export interface CommunityOverview extends Whole {
  communities: { id: number; size: number; name: string; edges: number }[];
  links: { source: number; target: number; count: number }[];
}

/** Rows as columns; `pairs` holds places among them, two for each edge. */
export interface RowsDrawn extends Whole {
  keys: string[];
  states: string[];
  depths: (number | null)[];
  groups: number[];
  degrees: number[];
  pairs: number[];
  community?: number;
  size?: number;
}
