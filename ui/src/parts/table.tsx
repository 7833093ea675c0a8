// A table that draws only the rows that can be seen, and asks for more as somebody scrolls.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Column<T> {
  name: string;
  width: string;
  cell: (row: T) => ComponentChildren;
}

interface Props<T> {
  label: string;
  columns: Column<T>[];
  rows: T[];
  keyOf: (row: T) => string;
  total?: number;
  rowHeight?: number;
  least?: string;
  onEnd?: () => void;
}

const SPARE = 8;

/** Which rows are drawn, for a place in the table. */
export function visible(top: number, height: number, rowHeight: number, count: number): [number, number] {
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE);
  return [Math.min(first, count), Math.min(count, Math.ceil((top + height) / rowHeight) + SPARE)];
}

export function VirtualTable<T>({ label, columns, rows, keyOf, total, rowHeight = 37, least, onEnd }: Props<T>): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ top: 0, height: 600 });
  const look = () => {
    const element = box.current;
    if (element) setAt({ top: element.scrollTop, height: element.clientHeight });
  };
  useLayoutEffect(look, [rows.length]);
  useEffect(() => {
    const watch = new ResizeObserver(look);
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const [first, last] = visible(at.top, at.height, rowHeight, rows.length);
  useEffect(() => {
    if (onEnd && rows.length && last >= rows.length - SPARE) onEnd();
  }, [last, rows.length]);
  const widths = columns.map((one) => one.width).join(" ");
  return (
    <div class="table" role="table" aria-label={label} aria-rowcount={(total ?? rows.length) + 1} style={{ "--columns": widths, "--row": `${rowHeight}px`, "--least": least ?? `${9 * columns.length}rem` }}>
      <div class="body" ref={box} onScroll={look} tabIndex={0} role="rowgroup" aria-label={`${label}, scrollable`}>
        <div class="head row" role="row" aria-rowindex={1}>
          {columns.map((one) => <div role="columnheader" key={one.name}>{one.name}</div>)}
        </div>
        <div class="gap" style={{ height: `${first * rowHeight}px` }} role="presentation" />
        {rows.slice(first, last).map((row, place) => (
          <div class="row" role="row" key={keyOf(row)} aria-rowindex={first + place + 2}>
            {columns.map((one) => <div role="cell" key={one.name}>{one.cell(row)}</div>)}
          </div>
        ))}
        <div class="gap" style={{ height: `${(rows.length - last) * rowHeight}px` }} role="presentation" />
      </div>
    </div>
  );
}
