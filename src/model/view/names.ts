import type { NamesInUse } from './names-in-use.js';
import { nameSuffix, SUFFIX_LENGTH } from './name-suffix.js';

/** A tool as its server spells it, with what decides about its name. */
export interface NamedTool {
  readonly server: string;
  readonly tool: string;
  /** The server comes from the connector catalogue, whose titles ("My  Drive (beta)") are tidied further. */
  readonly connector?: boolean;
  /** `false` where an embedder's own server goes without `mcp__<server>__`. */
  readonly prefix?: boolean;
}

/** Which tool the model means by a name. Always asked, never guessed by splitting: `__` is legal in both halves. */
export interface NameTable<T extends NamedTool = NamedTool> {
  /** The model's name of a tool, or undefined if it is not in the table. */
  nameOf(server: string, tool: string): string | undefined;
  /** The tool behind a name exactly as the model was told it. */
  lookup(name: string): T | undefined;
  /** Every name with its tool, in the order in which the tools were given. */
  entries(): IterableIterator<[string, T]>;
}

/**
 * Gives every tool a name of its own that matches ^[a-zA-Z0-9_-]{1,64}$, distinct also when case is ignored.
 * The outcome depends on the set of tools, not on their order. A pair that is given twice counts once, the first time.
 * `held`: names that somebody knows already; they stay with their tools.
 */
export function assignNames<T extends NamedTool>(
  tools: readonly T[],
  options: { readonly reserved?: Iterable<string>; readonly held?: NamesInUse | undefined } = {},
): NameTable<T> {
  const { held } = options;
  const taken = new TakenNames(held);
  for (const name of options.reserved ?? []) taken.add(name.toLowerCase());

  const names = tools.map((): string | undefined => undefined);
  const bare: Candidate[] = [];
  const prefixed: Candidate[] = [];
  for (const [at, tool] of uniquePairs(tools)) {
    names[at] = held?.nameOf(tool.server, tool.tool);
    if (names[at] !== undefined) continue;
    const candidate = tool.prefix === false ? bareCandidate(tool, at) : prefixedCandidate(tool, at);
    (candidate.prefixed ? prefixed : bare).push(candidate);
  }
  // A bare name that is taken falls back to the prefix: `mcp__desk__Read` says more than `Read_k3v9…`.
  for (const loser of contest(bare, taken, names)) prefixed.push(prefixedCandidate(loser.tool, loser.at));
  // Names are handed out in a fixed order, so it does not matter who was found first.
  for (const loser of contest(prefixed, taken, names).toSorted(byClaim)) {
    const name = suffixedName(loser, taken);
    taken.add(name.toLowerCase());
    names[loser.at] = name;
  }
  return toTable(tools, names);
}

/** What the names of a server's tools start with. */
export function toPrefix(server: string, isConnector: boolean): string {
  return PREFIX + (isConnector ? toConnectorPart(server) : toNamePart(server)) + SEPARATOR;
}

/** A server's or tool's half of a name: one `_` for each UTF-16 unit outside [a-zA-Z0-9_-], as the product does it. */
export function toNamePart(name: string): string {
  if (NAME_PART.test(name)) return name;
  return name.replaceAll(OUTSIDE, '_') || '_';
}

/** The half of a connector: runs of `_` collapsed, none at either end. */
export function toConnectorPart(name: string): string {
  const part = toNamePart(name).replaceAll(/__+/g, '_');
  return part.slice(part.startsWith('_') ? 1 : 0, part.length > 1 && part.endsWith('_') ? -1 : undefined) || '_';
}

export const NAME_LIMIT = 64; // what the model APIs accept
const PREFIX = 'mcp__';
const SEPARATOR = '__';
const NAME_PART = /^[a-zA-Z0-9_-]+$/;
const OUTSIDE = /[^a-zA-Z0-9_-]/g;
const CUT_SERVER_LIMIT = 28; // of a name that must be cut: leaves at least 18 characters of the tool readable

interface Candidate {
  readonly tool: NamedTool;
  /** Which of all tools it is. */
  readonly at: number;
  readonly serverPart: string;
  readonly toolPart: string;
  readonly plain: string;
  readonly prefixed: boolean;
  /** The original spelling is already a legal name, so nobody with an altered one may take it away. */
  readonly exact: boolean;
}

function prefixedCandidate(tool: NamedTool, at: number): Candidate {
  const serverPart = tool.connector === true ? toConnectorPart(tool.server) : toNamePart(tool.server);
  const toolPart = toNamePart(tool.tool);
  const plain = PREFIX + serverPart + SEPARATOR + toolPart;
  const exact = serverPart === tool.server && toolPart === tool.tool;
  return { tool, at, serverPart, toolPart, plain, prefixed: true, exact };
}

function bareCandidate(tool: NamedTool, at: number): Candidate {
  const toolPart = toNamePart(tool.tool);
  // A bare name may not pose as another server's tool, and one that must be cut gains nothing from being bare.
  if (toolPart.length > NAME_LIMIT || toolPart.toLowerCase().startsWith(PREFIX)) return prefixedCandidate(tool, at);
  return { tool, at, serverPart: '', toolPart, plain: toolPart, prefixed: false, exact: toolPart === tool.tool };
}

/** What nobody can have any more, in lower case. */
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

/** Gives each plain name to the one with the best claim, and returns those who went without. */
function contest(candidates: readonly Candidate[], taken: TakenNames, names: (string | undefined)[]): Candidate[] {
  const best = new Map<string, Candidate>();
  const losers: Candidate[] = [];
  for (const candidate of candidates) {
    const key = candidate.plain.toLowerCase();
    if (candidate.plain.length > NAME_LIMIT || taken.has(key)) {
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
 * Best claim first: an unaltered spelling, then the longer server name. A server picks its tools' names but not its
 * own, so tool `y__z` of server `x` does not push out tool `z` of server `x__y`. The rest only makes the order total.
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

/** The suffix comes from the original pair alone, so tools that come and go beside it do not change it. */
function suffixedName(candidate: Candidate, taken: TakenNames): string {
  const { server, tool } = candidate.tool;
  const room = NAME_LIMIT - SUFFIX_LENGTH - 1;
  const { plain, serverPart, toolPart } = candidate;
  const cut = PREFIX + serverPart.slice(0, CUT_SERVER_LIMIT) + SEPARATOR + toolPart;
  const start = plain.length <= room ? plain : cut.slice(0, room);
  // A name someone else holds can only be there by design, and then the next attempt gets another suffix.
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

/** What is looked up in it is made when somebody first looks: most only want the list. */
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
