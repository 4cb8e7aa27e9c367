import { CALL, SEARCH } from '../search/search-definitions.js';
import { gateLine } from '../../model/text/text-gate.js';
import { assignNames, type NameStyle, toNamePart } from '../../model/view/names.js';

/** Something of a server that clients know by a name: a tool or a prompt. */
export interface Named {
  readonly server: string;
  /** As the server spells it. */
  readonly tool: string;
}

/** How clients know the tools and prompts of an address. `plain`: by their own names, where these are unique. */
export type Naming = 'one-server' | 'prefixed' | 'plain';

/** The names of tools or prompts as clients know them. Looked up, never split: `__` is legal in both halves. */
export class ServedNames<Item extends Named> {
  /** Sorted by name: the same on every instance. */
  readonly entries: readonly (readonly [name: string, item: Item])[];
  readonly #byName: ReadonlyMap<string, Item>;

  constructor(items: readonly Item[], naming: Naming) {
    const named = naming === 'one-server' ? ownNames(items) : prefixedNames(items, naming);
    this.entries = named.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
    this.#byName = new Map(this.entries);
  }

  lookup(name: string): Item | undefined {
    return this.#byName.get(name);
  }
}

/**
 * Names of one server stay as they are, but for hidden characters. Which name a tool gets depends on the set of them: where
 * two would look the same, those that had to be cleaned are made anew.
 */
function ownNames<Item extends Named>(items: readonly Item[]): [string, Item][] {
  const named = new Map<string, Item>();
  const cleaned = new Map<string, Item[]>();
  for (const item of items) {
    const { text } = gateLine(item.tool);
    if (text === item.tool) {
      if (!named.has(text)) named.set(text, item);
    } else cleaned.set(text, [...(cleaned.get(text) ?? []), item]);
  }
  const rivals: Item[] = [];
  const own = new Set(named.keys());
  for (const [text, claims] of cleaned) {
    const [only] = claims;
    if (only && claims.length === 1 && text.trim() !== '' && !own.has(text)) named.set(text, only);
    else rivals.push(...claims);
  }
  if (rivals.length === 0) return [...named];
  const bare = rivals.map((item) => ({ ...pairOf(item), prefix: false, item }));
  const made = assignNames(bare, { reserved: named.keys(), style: STYLE });
  return [...named, ...Array.from(made.entries(), ([name, { item }]): [string, Item] => [name, item])];
}

function prefixedNames<Item extends Named>(items: readonly Item[], naming: Naming): [string, Item][] {
  const counts = new Map<string, number>();
  if (naming === 'plain') {
    for (const { tool } of items) counts.set(keyOf(tool), (counts.get(keyOf(tool)) ?? 0) + 1);
  }
  const candidates = items.map((item) => {
    const key = keyOf(item.tool);
    return { ...pairOf(item), prefix: counts.get(key) !== 1 || OURS.has(key), item };
  });
  return Array.from(assignNames(candidates, { style: STYLE }).entries(), ([name, { item }]) => [name, item]);
}

function pairOf({ server, tool }: Named): Named {
  return { server, tool };
}

function keyOf(tool: string): string {
  return toNamePart(tool).toLowerCase();
}

/** `server__tool`. Clients put a prefix of their own before it, and model APIs take 64 characters. */
const STYLE: NameStyle = { prefix: '', limit: 48, cutServer: 18 };
/** A server with a tool of such a name must not get the calls that are meant for ours, with others' arguments. */
const OURS: ReadonlySet<string> = new Set([SEARCH, CALL]);
