/** How a list has changed, by names. */
export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Compares two maps from names to definition hashes, regardless of order; undefined when equal. */
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
  // Fewer old names than before are left only if some were removed.
  const isAnyGone = before.size + added.length !== after.size;
  const removed = isAnyGone ? [...before.keys()].filter((name) => !after.has(name)) : [];
  return added.length + changed.length + removed.length === 0 ? undefined : { added, removed, changed };
}
