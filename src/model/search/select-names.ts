import type { SearchSegment } from './search-segment.js';

/** Where names are looked for. */
export interface NameSpace {
  readonly servers: readonly string[];
  /** Of the servers, in their order. */
  readonly segments: readonly SearchSegment[];
  readonly accept: (name: string) => boolean;
}

export interface Selected {
  /** In the order in which they were asked for, each once. */
  readonly names: readonly string[];
  readonly unknown: readonly string[];
}

/** Tools by name: the model's, that of server and tool, or that of the tool alone where only one has it; capitals may be wrong. */
export function selectNames(space: NameSpace, wanted: readonly string[]): Selected {
  const looked = wanted.slice(0, NAMES_LIMIT);
  const found = new Map<string, string>();
  const missing: string[] = [];
  for (const name of looked) {
    const exact = findExactly(space, name) ?? findExactly(space, PREFIX + name);
    if (exact === undefined) missing.push(name);
    else found.set(name, exact);
  }
  if (missing.length > 0) for (const [name, match] of findLoosely(space, missing)) found.set(name, match);
  const names = looked.flatMap((name) => found.get(name) ?? []);
  return { names: [...new Set(names)], unknown: wanted.filter((name) => !found.has(name)) };
}

/** A name that is the model's, letter by letter. */
export function findExactly({ segments, accept }: NameSpace, name: string): string | undefined {
  return segments.some(({ names }) => names.find(name) >= 0) && accept(name) ? name : undefined;
}

const PREFIX = 'mcp__';
const NAMES_LIMIT = 200; // no model needs more at once

/** Ways to be meant, best first. */
const DOTTED = 0;
const NAME_BUT_CASE = 1;
const DOTTED_BUT_CASE = 2;
const TOOL = 3;
const TOOL_BUT_CASE = 4;

interface Claim {
  readonly wanted: string;
  way: number;
  name: string;
  isAlone: boolean;
}

/** One look at all tools for all names together. */
function findLoosely({ servers, segments, accept }: NameSpace, missing: readonly string[]): Map<string, string> {
  const byKey = new Map<string, Claim[]>();
  for (const wanted of missing) {
    const claim = { wanted, way: Infinity, name: '', isAlone: false };
    const key = wanted.toLowerCase();
    byKey.set(key, [...(byKey.get(key) ?? []), claim]);
  }
  const lengths = new Set([...byKey.keys()].map(({ length }) => length));
  for (const [place, { names, tools, size }] of segments.entries()) {
    const start = `${servers[place]!}.`;
    for (let document = 0; document < size; document++) {
      const length = tools.lengthOf(document);
      // Most tools are ruled out by how long their names are, without making strings of them.
      if (lengths.has(names.lengthOf(document))) consider(names.at(document), document, NAME_BUT_CASE);
      if (lengths.has(start.length + length)) consider(start + tools.at(document), document, DOTTED);
      if (lengths.has(length)) consider(tools.at(document), document, TOOL);
    }

    function consider(written: string, document: number, way: number): void {
      for (const claim of byKey.get(written.toLowerCase()) ?? []) {
        const exactly = claim.wanted === written ? way : way === TOOL ? TOOL_BUT_CASE : DOTTED_BUT_CASE;
        settle(claim, { way: way === NAME_BUT_CASE ? way : exactly, name: names.at(document), accept });
      }
    }
  }
  const claims = [...byKey.values()].flat().filter(({ isAlone }) => isAlone);
  return new Map(claims.map(({ wanted, name }) => [wanted, name]));
}

function settle(claim: Claim, other: { way: number; name: string; accept: (name: string) => boolean }): void {
  if (other.way > claim.way || other.name === claim.name || !other.accept(other.name)) return;
  claim.isAlone = other.way < claim.way;
  claim.way = other.way;
  claim.name = other.name;
}
