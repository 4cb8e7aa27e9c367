import type { NamesInUse } from './names-in-use.js';
import { nameSuffix, SUFFIX_LENGTH } from './name-suffix.js';

/** A tool as its server spells it, with what its name depends on. */
export interface NamedTool {
  readonly server: string;
  readonly tool: string;
  /** The server is from the connector catalogue, whose titles ("My  Drive (beta)") are normalised further. */
  readonly connector?: boolean;
  /** `false` for a tool that keeps its own name where that is free, without `mcp__<server>__`. */
  readonly prefix?: boolean;
}

/** Maps the model's names to tools. Names are looked up, never split: `__` is legal in both halves. */
export interface NameTable<T extends NamedTool = NamedTool> {
  /** The model's name of a tool; undefined if the tool is not in the table. */
  nameOf(server: string, tool: string): string | undefined;
  /** The tool with exactly this name. */
  lookup(name: string): T | undefined;
  /** Every name with its tool, in the order of the given tools. */
  entries(): IterableIterator<[string, T]>;
}

/** What names are made of. */
export interface NameStyle {
  /** What all names begin with. */
  readonly prefix: string;
  /** Characters of a name at most. */
  readonly limit: number;
  /** Characters of the server's half of a truncated name, which leave some for the tool's. */
  readonly cutServer: number;
}

export interface NameOptions {
  readonly reserved?: Iterable<string>;
  /** Names that a model knows; they stay with their tools. */
  readonly held?: NamesInUse | undefined;
  /** Default: `mcp__<server>__<tool>`, at most 64 characters. */
  readonly style?: NameStyle;
}

/**
 * Gives every tool a unique name of [a-zA-Z0-9_-], as long as its style allows, unique also when case is ignored. The
 * result depends on the set of tools, not on their order. Of a pair given twice the first counts.
 */
export function assignNames<T extends NamedTool>(tools: readonly T[], options: NameOptions = {}): NameTable<T> {
  const { held, style = MODEL_NAMES } = options;
  const taken = new TakenNames(held);
  for (const name of options.reserved ?? []) taken.add(name.toLowerCase());

  const names = tools.map((): string | undefined => undefined);
  const bare: Candidate[] = [];
  const prefixed: Candidate[] = [];
  for (const [at, tool] of uniquePairs(tools)) {
    names[at] = held?.nameOf(tool.server, tool.tool);
    if (names[at] !== undefined) continue;
    const candidate = tool.prefix === false ? bareCandidate(tool, at, style) : prefixedCandidate(tool, at, style);
    (candidate.prefixed ? prefixed : bare).push(candidate);
  }
  // A bare name that is taken falls back to the prefix: `mcp__desk__Read` is clearer than `Read_k3v9…`.
  for (const loser of contest(bare, taken, { names, style }))
    prefixed.push(prefixedCandidate(loser.tool, loser.at, style));
  // Names are assigned in a fixed order, whatever the order of the tools.
  for (const loser of contest(prefixed, taken, { names, style }).toSorted(byClaim)) {
    const name = suffixedName(loser, taken, style);
    taken.add(name.toLowerCase());
    names[loser.at] = name;
  }
  return toTable(tools, names);
}

/** The beginning of the names of a server's tools. */
export function toPrefix(server: string, isConnector: boolean): string {
  return PREFIX + (isConnector ? toConnectorPart(server) : toNamePart(server)) + SEPARATOR;
}

/** A server's or tool's half of a name: `_` for each UTF-16 unit outside [a-zA-Z0-9_-]. */
export function toNamePart(name: string): string {
  if (NAME_PART.test(name)) return name;
  return name.replaceAll(OUTSIDE, '_') || '_';
}

/** A connector's half of a name: runs of `_` collapsed, none at either end. */
export function toConnectorPart(name: string): string {
  const part = toNamePart(name).replaceAll(/__+/g, '_');
  return part.slice(part.startsWith('_') ? 1 : 0, part.length > 1 && part.endsWith('_') ? -1 : undefined) || '_';
}

export const NAME_LIMIT = 64; // the limit of the model APIs
const PREFIX = 'mcp__';
const SEPARATOR = '__';
const NAME_PART = /^[a-zA-Z0-9_-]+$/;
const OUTSIDE = /[^a-zA-Z0-9_-]/g;
const MODEL_NAMES: NameStyle = { prefix: PREFIX, limit: NAME_LIMIT, cutServer: 28 };

interface Candidate {
  readonly tool: NamedTool;
  /** The tool's index. */
  readonly at: number;
  readonly serverPart: string;
  readonly toolPart: string;
  readonly plain: string;
  readonly prefixed: boolean;
  /** The original spelling is a legal name, so no tool with an altered name may take it. */
  readonly exact: boolean;
}

function prefixedCandidate(tool: NamedTool, at: number, { prefix }: NameStyle): Candidate {
  const serverPart = tool.connector === true ? toConnectorPart(tool.server) : toNamePart(tool.server);
  const toolPart = toNamePart(tool.tool);
  const plain = prefix + serverPart + SEPARATOR + toolPart;
  const exact = serverPart === tool.server && toolPart === tool.tool;
  return { tool, at, serverPart, toolPart, plain, prefixed: true, exact };
}

function bareCandidate(tool: NamedTool, at: number, style: NameStyle): Candidate {
  const { prefix, limit } = style;
  const toolPart = toNamePart(tool.tool);
  const isLikeOthers = prefix === '' ? toolPart.includes(SEPARATOR) : toolPart.toLowerCase().startsWith(prefix);
  // A bare name must not look like another server's tool, and a name that has to be truncated gets the prefix anyway.
  if (toolPart.length > limit || isLikeOthers) return prefixedCandidate(tool, at, style);
  return { tool, at, serverPart: '', toolPart, plain: toolPart, prefixed: false, exact: toolPart === tool.tool };
}

/** Names that are no longer available, in lower case. */
class TakenNames {
  readonly #taken = new Set<string>();
  readonly #held: NamesInUse | undefined;

  constructor(held: NamesInUse | undefined) {
    this.#held = held;
  }

  has(key: string): boolean {
    return this.#taken.has(key) || this.#held?.has(key) === true;
  }

  add(key: string): void {
    this.#taken.add(key);
  }
}

/** Assigns each plain name to the best claim, and returns the candidates without a name. */
function contest(
  candidates: readonly Candidate[],
  taken: TakenNames,
  { names, style }: { readonly names: (string | undefined)[]; readonly style: NameStyle },
): Candidate[] {
  const best = new Map<string, Candidate>();
  const losers: Candidate[] = [];
  for (const candidate of candidates) {
    const key = candidate.plain.toLowerCase();
    if (candidate.plain.length > style.limit || taken.has(key)) {
      losers.push(candidate);
      continue;
    }
    const rival = best.get(key);
    if (rival === undefined) {
      best.set(key, candidate);
    } else if (byClaim(candidate, rival) < 0) {
      best.set(key, candidate);
      losers.push(rival);
    } else {
      losers.push(candidate);
    }
  }
  for (const [key, { at, plain }] of best) {
    taken.add(key);
    names[at] = plain;
  }
  return losers;
}

/**
 * Best claim first: an unaltered spelling, then the longer server name. A server chooses its tools' names but not its
 * own, so tool `y__z` of server `x` does not displace tool `z` of server `x__y`. The rest makes the order total.
 */
function byClaim(a: Candidate, b: Candidate): number {
  return (
    Number(b.exact) - Number(a.exact) ||
    b.tool.server.length - a.tool.server.length ||
    compare(a.tool.server, b.tool.server) ||
    compare(a.tool.tool, b.tool.tool)
  );
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The suffix depends only on the original pair, so other tools do not change it. */
function suffixedName(candidate: Candidate, taken: TakenNames, { prefix, limit, cutServer }: NameStyle): string {
  const { server, tool } = candidate.tool;
  const room = limit - SUFFIX_LENGTH - 1;
  const { plain, serverPart, toolPart } = candidate;
  const cut = prefix + serverPart.slice(0, cutServer) + SEPARATOR + toolPart;
  const start = plain.length <= room ? plain : cut.slice(0, room);
  // Only a deliberate collision can make a suffixed name taken; the next attempt has another suffix.
  for (let attempt = 0; ; attempt++) {
    const name = `${start}_${nameSuffix(server, tool, attempt)}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

function* uniquePairs(tools: readonly NamedTool[]): Generator<[at: number, tool: NamedTool]> {
  const seen = new Map<string, Set<string>>();
  for (const [at, one] of tools.entries()) {
    const known = seen.get(one.server);
    if (known?.has(one.tool) === true) continue;
    if (known) known.add(one.tool);
    else seen.set(one.server, new Set([one.tool]));
    yield [at, one];
  }
}

/** The maps for lookups are made lazily: most callers only need the list. */
function toTable<T extends NamedTool>(tools: readonly T[], names: readonly (string | undefined)[]): NameTable<T> {
  let byName: Map<string, T> | undefined;
  let byServer: Map<string, Map<string, string>> | undefined;
  function* entries(): Generator<[string, T]> {
    for (const [at, tool] of tools.entries()) {
      const name = names[at];
      if (name !== undefined) yield [name, tool];
    }
  }
  return {
    nameOf: (server, tool) => (byServer ??= toPairs(entries())).get(server)?.get(tool),
    lookup: (name) => (byName ??= new Map(entries())).get(name),
    entries,
  };
}

function toPairs(entries: Iterable<[string, NamedTool]>): Map<string, Map<string, string>> {
  const byServer = new Map<string, Map<string, string>>();
  for (const [name, { server, tool }] of entries) {
    const names = byServer.get(server);
    if (names) names.set(tool, name);
    else byServer.set(server, new Map([[tool, name]]));
  }
  return byServer;
}
