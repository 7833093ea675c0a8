// Where the states of a machine stand in its drawing: in layers from top to bottom, by their distance from the start.

/** Each state with its layer and its place in it; moves that go on, and those that go back. */
export function layers(machine) {
  const names = machine.states.map((state) => state.name);
  const moves = joined(machine);
  const layer = new Map();
  const first = machine.states.find((state) => state.initial)?.name ?? names[0];
  const queue = [first];
  layer.set(first, 0);
  while (queue.length) {
    const at = queue.shift();
    for (const move of moves) {
      if (move.source === at && !layer.has(move.target)) {
        layer.set(move.target, layer.get(at) + 1);
        queue.push(move.target);
      }
    }
  }
  for (const name of names) if (!layer.has(name)) layer.set(name, Math.max(0, ...layer.values()) + 1);
  const rows = [];
  for (const name of names) (rows[layer.get(name)] ??= []).push(name);
  return { rows: rows.filter(Boolean), moves };
}

/** One line between two states, whatever many moves lead along it. */
function joined(machine) {
  const found = new Map();
  for (const move of machine.moves) {
    if (!move.source || move.source === move.target) continue;
    const key = JSON.stringify([move.source, move.target]);
    if (!found.has(key)) found.set(key, { source: move.source, target: move.target, names: [] });
    const name = move.transition || move.block;
    if (!found.get(key).names.includes(name)) found.get(key).names.push(name);
  }
  return [...found.values()];
}
