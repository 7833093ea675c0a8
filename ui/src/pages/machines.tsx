// Machines: states and moves as the query files declare them, with the count on each state.

import type { JSX } from "preact";
import { count, human } from "../format";
import { useData } from "../hooks";
import { StateBadge, Wait } from "../parts/common";
import { boxes, HEIGHT, WIDTH } from "../machine-layout";
import { address, go, type PageProps } from "../router";
import type { Machine } from "../types";

export default function MachinesPage({ place }: PageProps): JSX.Element {
  const machines = useData<Machine[]>("/machines", 3000);
  const name = place.parts[0];
  return (
    <>
      <h1>Machines</h1>
      <Wait of={machines}>{(data) => {
        const chosen = data.find((one) => one.pipeline === name) ?? data[0];
        return (
          <>
            <ul class="chips" aria-label="Pipelines">{data.map((one) => (
              <li key={one.pipeline}><a href={address("machines", [one.pipeline])} aria-current={one === chosen ? "true" : undefined}>{one.pipeline}</a></li>
            ))}</ul>
            {chosen && <Drawn machine={chosen} />}
          </>
        );
      }}</Wait>
    </>
  );
}

function Drawn({ machine }: { machine: Machine }): JSX.Element {
  const { boxes: placed, width, height } = boxes(machine);
  const drawn = new Set<string>();
  return (
    <>
      <figure class="panel machine" tabIndex={0}>
        <svg viewBox={`0 0 ${width} ${height + 36}`} role="img" aria-label={`The states of ${machine.pipeline}; the table below says the same`}>
          <defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" /></marker></defs>
          {machine.moves.map((move, at) => {
            const [from, to] = [placed.get(move.source ?? ""), placed.get(move.target)];
            const id = `${move.source}>${move.target}`;
            if (!from || !to || from === to || drawn.has(id)) return null;
            drawn.add(id);
            const back = to.x <= from.x;
            const [x1, y1] = back ? [from.x + WIDTH / 2, from.y + HEIGHT] : [from.x + WIDTH, from.y + HEIGHT / 2];
            const [x2, y2] = back ? [to.x + WIDTH / 2 + 18, to.y + HEIGHT] : [to.x, to.y + HEIGHT / 2];
            const low = Math.max(y1, y2) + 24 + 6 * (at % 5);
            const d = back ? `M${x1} ${y1}C${x1} ${low} ${x2} ${low} ${x2} ${y2}` : `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
            return <path key={id} class={back ? "edge back" : "edge"} d={d} marker-end="url(#arrow)"><title>{human(move.block)}: {move.purpose}</title></path>;
          })}
          {machine.states.map((state) => {
            const box = placed.get(state.name)!;
            return (
              <g key={state.name}>
                <rect x={box.x} y={box.y} width={WIDTH} height={HEIGHT} rx={8} data-kind={/fail/.test(state.name) ? "bad" : state.claimed ? "busy" : state.final ? "good" : undefined} />
                <text x={box.x + WIDTH / 2} y={box.y + 20} text-anchor="middle">{human(state.name)}</text>
                <text class="count" data-state-count={state.name} x={box.x + WIDTH / 2} y={box.y + 37} text-anchor="middle">{count(machine.counts[state.name] ?? 0)}</text>
              </g>
            );
          })}
        </svg>
      </figure>
      <h2>States</h2>
      <div class="plain"><table>
        <thead><tr><th scope="col">state</th><th scope="col" class="number">rows</th><th scope="col">moves on by</th></tr></thead>
        <tbody>{machine.states.map((state) => (
          <tr key={state.name}>
            <th scope="row"><button type="button" class="link" onClick={() => go(address("queue", [machine.pipeline], { state: state.name }))}><StateBadge state={state.name} /></button></th>
            <td class="number">{count(machine.counts[state.name] ?? 0)}</td>
            <td>{[...new Set(machine.moves.filter((one) => one.source === state.name).map((one) => `${human(one.transition || one.block)} → ${human(one.target)}`))].join("; ") || "the end"}</td>
          </tr>
        ))}</tbody>
      </table></div>
    </>
  );
}
