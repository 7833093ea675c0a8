// How quickly a pipeline finishes things, and when it will be done: from what was seen in the last half minute.

const SEEN_MS = 30_000;
const DRAWN = 60;

export class Pace {
  #seen = [];
  drawn = [];

  /** Take in how many are finished by now; returns what is finished per second, or null while too little was seen. */
  see(finished, at) {
    const last = this.#seen.at(-1);
    if (last && finished < last.finished) this.#seen = []; // requeued, or another graph
    this.#seen.push({ finished, at });
    while (this.#seen.length > 2 && at - this.#seen[0].at > SEEN_MS) this.#seen.shift();
    if (last && at > last.at) {
      this.drawn.push(Math.max(0, ((finished - last.finished) * 1000) / (at - last.at)));
      if (this.drawn.length > DRAWN) this.drawn.shift();
    }
    return this.perSecond();
  }

  perSecond() {
    const first = this.#seen[0];
    const last = this.#seen.at(-1);
    if (!first || last.at - first.at < 900) return null;
    return ((last.finished - first.finished) * 1000) / (last.at - first.at);
  }
}

/** Seconds until the rest is done at this pace; null where nobody can say. */
export function remaining(left, perSecond) {
  if (left === 0) return 0;
  return perSecond ? left / perSecond : null;
}
