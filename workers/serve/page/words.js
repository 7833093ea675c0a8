// Numbers, times and names as people read them.

const plain = new Intl.NumberFormat("en");

export const count = (number) => plain.format(number);

export function rate(perSecond) {
  if (perSecond === null) return "–";
  if (perSecond === 0) return "0/s";
  if (perSecond < 0.1) return `${(perSecond * 60).toFixed(1)}/min`;
  return perSecond < 10 ? `${perSecond.toFixed(1)}/s` : `${count(Math.round(perSecond))}/s`;
}

export function duration(seconds) {
  if (seconds < 1) return "under 1 s";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129600) return `${(seconds / 3600).toFixed(1)} h`;
  return `${(seconds / 86400).toFixed(1)} days`;
}

/** How long ago; times without a zone are in UTC. */
export function ago(text, now = Date.now()) {
  if (!text) return "never";
  const written = /[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`;
  const at = Date.parse(written.replace(" ", "T"));
  if (Number.isNaN(at)) return String(text);
  const seconds = Math.max(0, (now - at) / 1000);
  return seconds < 2 ? "just now" : `${duration(seconds)} ago`;
}

export const several = (number, what) => `${count(number)} ${what}${number === 1 ? "" : "s"}`;

export const human = (name) => name.replaceAll("_", " ");

export function short(text, most) {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}
