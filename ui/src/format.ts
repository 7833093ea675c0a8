// Numbers, times and names as people read them.

const plain = new Intl.NumberFormat("en");

export const count = (value: number | null | undefined): string => (value == null ? "–" : plain.format(value));

export function rate(perSecond: number | null | undefined): string {
  if (perSecond == null) return "–";
  if (perSecond === 0) return "0/s";
  if (perSecond < 0.1) return `${(perSecond * 60).toFixed(1)}/min`;
  return perSecond < 10 ? `${perSecond.toFixed(1)}/s` : `${count(Math.round(perSecond))}/s`;
}

export function duration(seconds: number | null | undefined): string {
  if (seconds == null) return "–";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 90) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${(seconds / 3600).toFixed(1)} h`;
  const days = seconds / 86_400;
  if (days < 10) return `${days.toFixed(1)} days`;
  return days < 730 ? `${count(Math.round(days))} days` : `${(days / 365.25).toFixed(1)} years`;
}

export function bytes(value: number | null | undefined): string {
  if (value == null) return "–";
  const units = ["B", "KB", "MB", "GB", "TB"];
  let rest = value;
  let place = 0;
  while (rest >= 1000 && place < units.length - 1) {
    rest /= 1000;
    place += 1;
  }
  return `${place && rest < 10 ? rest.toFixed(1) : Math.round(rest)} ${units[place]}`;
}

/** Milliseconds since 1970; times without a zone are in UTC. */
export function moment(text: string): number {
  const zoned = /[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`;
  return Date.parse(zoned.replace(" ", "T"));
}

export function ago(text: string | null | undefined, now = Date.now()): string {
  if (!text) return "never";
  const at = moment(text);
  if (Number.isNaN(at)) return text;
  const seconds = Math.max(0, (now - at) / 1000);
  return seconds < 2 ? "just now" : `${duration(seconds)} ago`;
}

export function clock(text: string | null | undefined): string {
  if (!text) return "–";
  const at = moment(text);
  return Number.isNaN(at) ? text : new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** A moment of the address (UTC) for a field that takes local time, to the minute; and back. */
export function localInput(text: string): string {
  const at = text ? moment(text) : Number.NaN;
  if (Number.isNaN(at)) return "";
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export const fromLocalInput = (text: string): string => (text && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : "");

export const several = (number: number, what: string): string => `${count(number)} ${what}${number === 1 ? "" : "s"}`;

export const human = (name: string): string => name.replaceAll("_", " ");

export function short(text: string, most: number): string {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}

/** Any value of the graph as one line of text. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The same, with moments as people read them. */
export function timed(value: unknown): string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) ? clock(value) : shown(value);
}

/** Numbers by which the queue guards itself; they tell a reader nothing. */
export const INNER = new Set(["seq", "due", "lease", "lost_claims", "failure_count"]);

/** What was asked for, without what was left at its default. */
export function facts(of: Record<string, unknown>): string {
  const said = Object.entries(of).filter(([, value]) => value !== null && value !== "" && value !== false && !(Array.isArray(value) && !value.length));
  return said.map(([name, value]) => (value === true ? human(name) : `${human(name)} ${Array.isArray(value) ? value.map(shown).join(", ") : shown(value)}`)).join("; ");
}

/** RFC 4180; a value that a spreadsheet would take for a formula gets a quote in front of it. */
export function csv(columns: string[], rows: unknown[][]): string {
  const cell = (value: unknown) => {
    const text = shown(value);
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [columns, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
