// A part of a long list, by the keys of its rows: the part before or after it costs the same wherever it lies.

export interface Page<R> {
  rows: R[];
  next: string | null;
}

export interface Span {
  count: number;
  first: string | null;
  last: string | null;
}

type Ask<R> = (asked: { after: string | null; newest: boolean; limit: number }) => Promise<Page<R>>;

/** So many rows are asked for at once, and kept at most. */
export const PAGE = 200;
export const KEPT = 2000;

/** The number behind which the row at this place should stand, if rows are spread evenly. */
export function guess(place: number, span: Span): string | null {
  if (place <= 0 || span.first === null || span.last === null || span.count < 2) return null;
  const [first, last] = [BigInt(span.first), BigInt(span.last)];
  return String(first + ((last - first) * BigInt(place)) / BigInt(span.count - 1) - 1n);
}

export class RowWindow<R extends { seq: string }> {
  rows: R[] = [];
  start = 0;
  #end = false;
  #turn = 0;
  #busy = false;

  constructor(readonly ask: Ask<R>) {}

  /** Forget all and read from the top. */
  async reset(): Promise<void> {
    this.#turn += 1;
    this.#busy = false;
    await this.#read(null, false, (page) => this.#put(page.rows, 0, page.next === null));
  }

  /** See to it that these places are here; true when something changed. */
  async want(first: number, last: number, span: Span): Promise<boolean> {
    if (this.#busy) return false;
    const end = this.start + this.rows.length;
    const [from, to] = [Math.max(0, first), Math.min(last, span.count)];
    if (from >= to || (from >= this.start && (to <= end || this.#end))) return false;
    if (from > end + PAGE || to < this.start - PAGE || !this.rows.length) return this.#jump(from, span);
    return from < this.start ? this.#before() : this.#after();
  }

  #after(): Promise<boolean> {
    return this.#read(this.rows.at(-1)!.seq, false, ({ rows, next }) => {
      const all = [...this.rows, ...rows];
      const over = Math.max(0, all.length - KEPT);
      this.#put(all.slice(over), this.start + over, next === null);
    });
  }

  #before(): Promise<boolean> {
    return this.#read(this.rows[0]!.seq, true, ({ rows, next }) => {
      const all = [...rows.reverse(), ...this.rows];
      // Places are guessed after a jump; at the top they are known again.
      const start = next === null ? 0 : Math.max(1, this.start - rows.length);
      this.#put(all.slice(0, KEPT), start, this.#end && all.length <= KEPT);
    });
  }

  #jump(place: number, span: Span): Promise<boolean> {
    const top = Math.max(0, place - PAGE / 4);
    const after = guess(top, span);
    return this.#read(after, false, ({ rows, next }) => {
      const start = after === null ? 0 : next === null ? Math.max(0, span.count - rows.length) : top;
      this.#put(rows, start, next === null);
    });
  }

  #put(rows: R[], start: number, end: boolean): void {
    [this.rows, this.start, this.#end] = [rows, start, end];
  }

  async #read(after: string | null, newest: boolean, put: (page: Page<R>) => void): Promise<boolean> {
    const turn = this.#turn;
    this.#busy = true;
    try {
      const page = await this.ask({ after, newest, limit: PAGE });
      if (turn !== this.#turn) return false;
      put(page);
      return true;
    } finally {
      if (turn === this.#turn) this.#busy = false;
    }
  }
}
