/** The known names that look most like what was typed, best first: at most three, none if nothing is close. */
export function nearest(typed: string, known: Iterable<string>): string[] {
  const wanted = typed.slice(0, NAME_LIMIT).toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const found: { name: string; distance: number }[] = [];
  for (const name of known) {
    const candidate = name.slice(0, NAME_LIMIT).toLowerCase();
    const close = candidate.startsWith(wanted) && wanted.length > 1 ? 0.5 : editDistance(wanted, candidate, limit);
    if (close <= limit) found.push({ name, distance: close });
  }
  return found
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

const NAME_LIMIT = 64; // the distance is quadratic, and nobody mistypes a longer name by two letters

/** Edits between two words, a swap of neighbours counting as one; anything over `limit` is just "too far". */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}
