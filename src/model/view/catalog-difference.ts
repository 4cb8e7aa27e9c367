/** What became of a list: names of what is new, what is gone, and what is no longer the same. */
export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** From each name to what tells one definition of it from another. The order within a list says nothing. */
export function difference(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Difference | undefined {
  const added: string[] = [];
  const changed: string[] = [];
  for (const [name, check] of after) {
    const known = before.get(name);
    if (known === undefined) added.push(name);
    else if (known !== check) changed.push(name);
  }
  // Only where something is gone are there fewer of the old ones than there were.
  const isAnyGone = before.size + added.length !== after.size;
  const removed = isAnyGone ? [...before.keys()].filter((name) => !after.has(name)) : [];
  return added.length + changed.length + removed.length === 0 ? undefined : { added, removed, changed };
}
