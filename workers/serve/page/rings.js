// Where the neighbours of a node stand: on rings around it, those of one kind of relationship side by side.

const ROOM = 46; // along a ring, for a node and its name
const NARROW = 480; // a third ring would lay names over each other

/** Places for so many neighbours in a box; those that do not fit are left out. */
export function rings(many, width, height) {
  const centre = { x: width / 2, y: height / 2 };
  const places = [];
  const shares = width < NARROW ? [0.5, 0.94] : [0.5, 0.94, 0.72];
  for (const [ring, share] of shares.entries()) {
    const reach = { x: (width / 2 - 52) * share, y: (height / 2 - 26) * share };
    const around = Math.PI * (reach.x + reach.y);
    const fits = Math.max(4, Math.floor(around / (ROOM * 1.7)));
    const here = Math.min(fits, many - places.length);
    for (let index = 0; index < here; index += 1) {
      const angle = (2 * Math.PI * (index + ring * 0.5)) / here - Math.PI / 2;
      places.push({ x: centre.x + reach.x * Math.cos(angle), y: centre.y + reach.y * Math.sin(angle) });
    }
    if (places.length >= many) break;
  }
  return { centre, places };
}

/** The node that lies nearest in a direction (dx, dy), or -1: how arrow keys find their way. */
export function toward(points, from, dx, dy) {
  let best = -1;
  let least = Infinity;
  points.forEach((point, index) => {
    const [x, y] = [point.x - from.x, point.y - from.y];
    const along = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    const cost = along + 2 * aside;
    if (along > 1 && cost < least) [best, least] = [index, cost];
  });
  return best;
}
