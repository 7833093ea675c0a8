// A chart of one or more series over time, by uPlot, which is loaded when the first is drawn.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";

export interface Line {
  name: string;
  values: (number | null)[];
}

interface Props {
  label: string;
  at: number[];
  lines: Line[];
  unit: (value: number) => string;
  height?: number;
  /** From where to where the values go; otherwise from 0 to a little above the largest. */
  range?: [number, number];
  /** Which of the six colours each line has; otherwise in their order. */
  colours?: number[];
  /** A value for each day (UTC), rather than for moments. */
  days?: boolean;
}

/** A moment on the axis: the hour and minute, with seconds where ticks are closer, the day where it is another one. */
function hour(at: number, before: number | null): string {
  const [time, last] = [new Date(1000 * at), before === null ? null : new Date(1000 * before)];
  const text = time.toTimeString().slice(0, at % 60 ? 8 : 5);
  return last && last.getDate() !== time.getDate() ? `${time.getDate()} ${time.toLocaleString("en-GB", { month: "short" })}` : text;
}

function day(at: number): string {
  const time = new Date(1000 * at);
  return `${time.getUTCDate()} ${time.toLocaleString("en-GB", { month: "short", timeZone: "UTC" })}`;
}

export function Chart({ label, at, lines, unit, height = 150, range, colours, days = false }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const data = [at, ...lines.map((one) => one.values)] as uPlot.AlignedData;
  const lineOf = (place: number) => (colours?.[place] ?? place) % 6;
  const names = lines.map((one) => one.name).join("|");
  useEffect(() => {
    let over = false;
    let watch: ResizeObserver | null = null;
    void Promise.all([import("uplot"), import("uplot/dist/uPlot.min.css")]).then(([{ default: Plot }]) => {
      if (over || !box.current) return;
      const style = getComputedStyle(box.current);
      const colour = (name: string) => style.getPropertyValue(name).trim();
      const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--edge"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
      chart.current = new Plot({
        width: box.current.clientWidth, height, legend: { show: false }, cursor: { y: false },
        axes: [{ ...axis, values: (_, ticks) => ticks.map((tick, place) => days ? day(tick) : hour(tick, place ? ticks[place - 1]! : null)), space: 70, size: 28 }, { ...axis, size: 62, values: (_, ticks) => ticks.map(unit) }],
        scales: { y: { range: (_, __, most) => range ?? [0, most > 0 ? most * 1.1 : 1] } },
        series: [{}, ...lines.map((one, place) => ({
          label: one.name, stroke: colour(`--line-${lineOf(place)}`), width: 2, points: { show: days || at.length < 3, size: 5 }, spanGaps: false,
        }))],
      }, data, box.current);
      watch = new ResizeObserver(() => box.current && chart.current?.setSize({ width: box.current.clientWidth, height }));
      watch.observe(box.current);
    });
    return () => {
      over = true;
      watch?.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [names, height]);
  useEffect(() => chart.current?.setData(data), [at, lines]);
  const last = lines.map((one) => {
    const value = one.values.findLast((found) => found !== null);
    return `${one.name} ${value == null ? "–" : unit(value)}`;
  });
  return (
    <figure class="chart">
      <figcaption>{label}
        <ul class="legend">{lines.map((one, place) => <li key={one.name} data-line={lineOf(place)}>{last[place]}</li>)}</ul>
      </figcaption>
      <div ref={box} role="img" aria-label={`${label}; now: ${last.join(", ")}`} />
    </figure>
  );
}
