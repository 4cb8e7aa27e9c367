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
  readonly size: number;
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
 */
export function assignNames<T extends NamedTool>(
  tools: readonly T[],
  options: { readonly reserved?: Iterable<string> } = {},
): NameTable<T> {
  const taken = new Map<string, T | undefined>();
  for (const name of options.reserved ?? []) taken.set(name.toLowerCase(), undefined);

  const bare: Candidate<T>[] = [];
  const prefixed: Candidate<T>[] = [];
  for (const tool of unique(tools)) {
    const candidate = tool.prefix === false ? bareCandidate(tool) : prefixedCandidate(tool);
    (candidate.prefixed ? prefixed : bare).push(candidate);
  }
  const chosen = new Map<T, string>();
  // A bare name that is taken falls back to the prefix: `mcp__desk__Read` says more than `Read_k3v9…`.
  for (const loser of contest(bare, taken, chosen)) prefixed.push(prefixedCandidate(loser.tool));
  // Names are handed out in a fixed order, so it does not matter who was found first.
  for (const loser of contest(prefixed, taken, chosen).toSorted(byClaim)) {
    const name = suffixedName(loser, taken);
    taken.set(name.toLowerCase(), loser.tool);
    chosen.set(loser.tool, name);
  }
  return toTable(tools, chosen);
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

const NAME_LIMIT = 64; // what the model APIs accept
const PREFIX = 'mcp__';
const SEPARATOR = '__';
const NAME_PART = /^[a-zA-Z0-9_-]+$/;
const OUTSIDE = /[^a-zA-Z0-9_-]/g;
const CUT_SERVER_LIMIT = 28; // of a name that must be cut: leaves at least 18 characters of the tool readable

interface Candidate<T extends NamedTool> {
  readonly tool: T;
  readonly serverPart: string;
  readonly toolPart: string;
  readonly plain: string;
  readonly prefixed: boolean;
  /** The original spelling is already a legal name, so nobody with an altered one may take it away. */
  readonly exact: boolean;
}

function prefixedCandidate<T extends NamedTool>(tool: T): Candidate<T> {
  const serverPart = tool.connector === true ? toConnectorPart(tool.server) : toNamePart(tool.server);
  const toolPart = toNamePart(tool.tool);
  const plain = PREFIX + serverPart + SEPARATOR + toolPart;
  const exact = serverPart === tool.server && toolPart === tool.tool;
  return { tool, serverPart, toolPart, plain, prefixed: true, exact };
}

function bareCandidate<T extends NamedTool>(tool: T): Candidate<T> {
  const toolPart = toNamePart(tool.tool);
  // A bare name may not pose as another server's tool, and one that must be cut gains nothing from being bare.
  if (toolPart.length > NAME_LIMIT || toolPart.toLowerCase().startsWith(PREFIX)) return prefixedCandidate(tool);
  return { tool, serverPart: '', toolPart, plain: toolPart, prefixed: false, exact: toolPart === tool.tool };
}

/** Gives each plain name to the one with the best claim, and returns those who went without. */
function contest<T extends NamedTool>(
  candidates: readonly Candidate<T>[],
  taken: Map<string, T | undefined>,
  chosen: Map<T, string>,
): Candidate<T>[] {
  const best = new Map<string, Candidate<T>>();
  const losers: Candidate<T>[] = [];
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
  for (const [key, { tool, plain }] of best) {
    taken.set(key, tool);
    chosen.set(tool, plain);
  }
  return losers;
}

/**
 * Best claim first: an unaltered spelling, then the longer server name. A server picks its tools' names but not its
 * own, so tool `y__z` of server `x` does not push out tool `z` of server `x__y`. The rest only makes the order total.
 */
function byClaim(a: Candidate<NamedTool>, b: Candidate<NamedTool>): number {
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
function suffixedName(candidate: Candidate<NamedTool>, taken: ReadonlyMap<string, unknown>): string {
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

function unique<T extends NamedTool>(tools: readonly T[]): T[] {
  const seen = new Map<string, Set<string>>();
  return tools.filter(({ server, tool }) => {
    const names = seen.get(server);
    if (names === undefined) seen.set(server, new Set([tool]));
    else if (names.has(tool)) return false;
    else names.add(tool);
    return true;
  });
}

function toTable<T extends NamedTool>(tools: readonly T[], chosen: ReadonlyMap<T, string>): NameTable<T> {
  const byName = new Map<string, T>();
  const byServer = new Map<string, Map<string, string>>();
  for (const tool of tools) {
    const name = chosen.get(tool);
    if (name === undefined || byName.has(name)) continue;
    byName.set(name, tool);
    const names = byServer.get(tool.server) ?? new Map<string, string>();
    byServer.set(tool.server, names.set(tool.tool, name));
  }
  return {
    size: byName.size,
    nameOf: (server, tool) => byServer.get(server)?.get(tool),
    lookup: (name) => byName.get(name),
    entries: () => byName.entries(),
  };
}
