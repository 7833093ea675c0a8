// What can be done to many rows at once: which of them it is for, and how it is said.

import { several } from "./format";

export type Verb = "requeue" | "exclude" | "prioritise" | "release";
export type Filters = Partial<Record<"state" | "standing" | "contains" | "reason" | "min_depth" | "max_depth" | "since" | "until", string>>;

interface Action {
  name: string;
  done: string;
  about: string;
  none: string;
  /** The filters with what the action is for; null where the two exclude each other. */
  fits: (filters: Filters) => Filters | null;
}

/** Rows of this standing; those that are filtered by another one are none of them. */
const standing = (wanted: string, within: string[]) => (filters: Filters): Filters | null =>
  !filters.standing || within.includes(filters.standing) ? { ...filters, standing: filters.standing || wanted } : null;

export const ACTIONS: Record<Verb, Action> = {
  requeue: {
    name: "Requeue", done: "requeued", about: "They go back to the start of the queue, with their retries counted anew.",
    none: "None of these rows failed: there is nothing to requeue.",
    fits: (filters) => !filters.state || ["failed", "skipped"].includes(filters.state) ? { ...filters, state: filters.state || "failed" } : null,
  },
  exclude: {
    name: "Exclude", done: "excluded", about: "They leave the queue for good. What is in work or done is left alone.",
    none: "No row matches.", fits: (filters) => filters,
  },
  prioritise: {
    name: "Prioritise", done: "prioritised", about: "They are claimed before all others. Rows that back off wait no longer.",
    none: "None of these rows waits: there is nothing to prioritise.", fits: standing("waiting", ["ready", "backing off", "waiting"]),
  },
  release: {
    name: "Release", done: "released", about: "They go back into the queue, and no attempt is counted. What the workers that have them now write about them is refused.",
    none: "No worker holds any of these rows: there is nothing to release.", fits: standing("claimed", ["claimed"]),
  },
};

export const asking = (verb: Verb, many: number): string => `${ACTIONS[verb].name} ${several(many, "row")}?`;

export function outcome(verb: Verb, moved: number, tried: number): string {
  const left = tried - moved;
  return `${several(moved, "row")} ${ACTIONS[verb].done}${left > 0 ? `, ${several(left, "row")} left alone` : ""}.`;
}
