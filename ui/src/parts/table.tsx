// A table that draws only the rows that can be seen, and asks for more as somebody scrolls.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Column<T> {
  name: string;
  width: string;
  cell: (row: T) => ComponentChildren;
  number?: boolean;
}

interface Props<T> {
  label: string;
  columns: Column<T>[];
  rows: T[];
  keyOf: (row: T) => string;
  /** Where in the table the first of these rows stands: of a long one, only a part is here. */
  start?: number;
  total?: number;
  rowHeight?: number;
  least?: string;
  /** Which rows are seen; for a table that is only partly here. */
  onRange?: (first: number, last: number) => void;
}

const SPARE = 8;
/** Browsers draw nothing beyond some 17 million pixels: longer tables scroll faster than the wheel turns. */
export const MOST_PIXELS = 15_000_000;

/** Which rows are drawn, for a place of the scroll bar, and how far down the first of them stands. */
export function visible(top: number, height: number, rowHeight: number, count: number): { first: number; last: number; offset: number } {
  const real = count * rowHeight;
  const shown = Math.min(real, MOST_PIXELS);
  const at = real > shown ? Math.min(1, Math.max(0, top / Math.max(1, shown - height))) * (real - height) : top;
  const first = Math.min(count, Math.max(0, Math.floor(at / rowHeight) - SPARE));
  const last = Math.min(count, Math.ceil((at + height) / rowHeight) + SPARE);
  return { first, last, offset: Math.max(0, top - (at - first * rowHeight)) };
}

export function VirtualTable<T>({ label, columns, rows, keyOf, start = 0, total, rowHeight = 37, least, onRange }: Props<T>): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ top: 0, height: 600 });
  const look = () => {
    const element = box.current;
    if (element) setAt({ top: element.scrollTop, height: element.clientHeight });
  };
  const count = onRange ? Math.max(total ?? 0, start + rows.length) : rows.length;
  useLayoutEffect(look, [count]);
  useEffect(() => {
    const watch = new ResizeObserver(look);
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const { first, last, offset } = visible(at.top, at.height, rowHeight, count);
  useEffect(() => onRange?.(first, last), [first, last, rows, start]);
  const widths = columns.map((one) => one.width).join(" ");
  const drawn = Array.from({ length: last - first }, (_, place) => first + place);
  return (
    <div class="table" role="table" aria-label={label} aria-rowcount={count + 1} style={{ "--columns": widths, "--row": `${rowHeight}px`, "--least": least ?? `${9 * columns.length}rem` }}>
      <div class="body" ref={box} onScroll={look} tabIndex={0} role="rowgroup" aria-label={`${label}, scrollable`}>
        <div class="head row" role="row" aria-rowindex={1}>
          {columns.map((one) => <div role="columnheader" key={one.name} class={one.number ? "number" : undefined}>{one.name}</div>)}
        </div>
        <div class="gap" style={{ height: `${offset}px` }} role="presentation" />
        {drawn.map((place) => {
          const row = rows[place - start];
          return (
            <div class="row" role="row" key={row === undefined ? place : keyOf(row)} aria-rowindex={place + 2} aria-busy={row === undefined}>
              {columns.map((one) => <div role="cell" key={one.name} class={one.number ? "number" : undefined}>{row === undefined ? "" : one.cell(row)}</div>)}
            </div>
          );
        })}
        <div class="gap" style={{ height: `${Math.max(0, Math.min(count * rowHeight, MOST_PIXELS) - offset - drawn.length * rowHeight)}px` }} role="presentation" />
        {!count && <p class="hint nothing" role="presentation">Nothing here.</p>}
      </div>
    </div>
  );
}
