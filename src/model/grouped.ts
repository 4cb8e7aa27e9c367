/** Groups things by each of their keys, in their order. */
export function groupByKeys<T>(
  things: Iterable<T>,
  keysOf: (thing: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    for (const key of keysOf(thing)) {
      const group = groups.get(key);
      if (group) group.push(thing);
      else groups.set(key, [thing]);
    }
  }
  return groups;
}
