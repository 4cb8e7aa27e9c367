import { isObject, type JsonObject } from '../../base/json.js';
import type { ProfileName } from '../profiles/profile.js';
import type { ShownBlock, ShownServer, ShownTool } from './shown-block.js';

/** A turn of a conversation, as the ledger has it: it refers to the line that says what its block shows. */
export interface TurnLine {
  readonly kind: 'turn';
  readonly at: string;
  readonly block: string;
  /** What the changes of each server in this turn would have cost, had the block followed them. */
  readonly changes: ReadonlyMap<string, number>;
}

/** What the block of a conversation shows. One line serves many turns. */
export interface BlockLine {
  readonly kind: 'block';
  readonly at: string;
  /** Names the content: the same block has the same id in every host. */
  readonly block: string;
  /** Of a sub-agent, whose block may be narrower than that of its session. */
  readonly isOfFork: boolean;
  readonly shown: ShownBlock;
}

/** Turns that were not recorded, because the disk was full or too slow. */
export interface TurnGap {
  readonly kind: 'turn-gap';
  readonly at: string;
  readonly lostTurns: number;
}

export interface BlockTextOptions {
  readonly isOfFork: boolean;
  /** Cleans a name and makes JSON of it, as all names in the ledger are written. */
  readonly quote: (name: string) => string;
  /** The server's own name of a tool. */
  readonly ownNameOf: (name: string) => string | undefined;
}

/** The fields of a block's line that say what it shows, without braces: bounded, whatever the servers have. */
export function toBlockText(shown: ShownBlock, { isOfFork, quote, ownNameOf }: BlockTextOptions): string {
  const { profile, contextTokens, toolSearch, canSearch, builtIns, system } = shown;
  let left = TOOLS_LIMIT;
  // The most expensive first: what is beyond the bound is what matters least.
  const servers = shown.servers.toSorted((one, other) => sizeOf(other) - sizeOf(one)).slice(0, SERVERS_LIMIT);
  const texts = servers.map(({ name, tools, ...numbers }) => {
    const listed = [...tools].slice(0, left);
    left -= listed.length;
    // The reader takes the start away again, which it knows only from the name as the ledger has it.
    const start = isExact(name, quote) ? `mcp__${name}__` : undefined;
    const each = listed.map(([tool, { tokens }]) => {
      const own = ownNameOf(tool);
      const isPlain = own !== undefined && start !== undefined && tool === start + own;
      return `${quote(tool)}:${isPlain ? tokens : `[${tokens}${toOwnText(own, quote)}]`}`;
    });
    const { loaded, deferred, instructions, count, names, always, marked } = numbers;
    const sums = [loaded, deferred, instructions, count, names, always, marked];
    return `[${quote(name)},[${sums.join(',')}],{${each.join(',')}}]`;
  });
  const context = `"profile":"${profile}","context":${contextTokens},"search":"${toolSearch}"`;
  const flags = `${canSearch ? '' : ',"canSearch":false'}${isOfFork ? ',"fork":true' : ''}`;
  return `${context}${flags},"builtIns":${builtIns},"system":${system},"servers":[${texts.join(',')}]`;
}

/** Only a name that the ledger can hold as it is: a cleaned one would be another tool's. */
function toOwnText(own: string | undefined, quote: (name: string) => string): string {
  return own !== undefined && isExact(own, quote) ? `,${JSON.stringify(own)}` : '';
}

function isExact(name: string, quote: (name: string) => string): boolean {
  return quote(name) === JSON.stringify(name);
}

function sizeOf({ loaded, instructions, deferred }: ShownServer): number {
  return loaded + instructions + deferred / DEFERRED_WEIGHT;
}

const DEFERRED_WEIGHT = 1_000; // only decides between servers that cost nothing
const SERVERS_LIMIT = 200;
const TOOLS_LIMIT = 500; // 25 kB with usual names; a tenth of most contexts has fewer

/** Undefined for any other line. Numbers and texts are checked, because other programs can write to the file. */
export function parseTurnLine(value: JsonObject): TurnLine | BlockLine | TurnGap | undefined {
  const { at, turn, block, lostTurns, changes } = value;
  if (typeof at !== 'string') return undefined;
  if (typeof turn === 'string') return { kind: 'turn', at, block: turn, changes: toChanges(changes) };
  if (typeof lostTurns === 'number') return { kind: 'turn-gap', at, lostTurns: toAmount(lostTurns) };
  if (typeof block !== 'string') return undefined;
  const shown = toShown(value);
  return shown && { kind: 'block', at, block, isOfFork: value['fork'] === true, shown };
}

function toChanges(value: unknown): ReadonlyMap<string, number> {
  if (!isObject(value)) return NO_CHANGES;
  return new Map(Object.entries(value).map(([server, tokens]) => [server, toAmount(tokens)]));
}

function toShown({
  profile,
  context,
  search,
  canSearch,
  builtIns,
  system,
  servers,
}: JsonObject): ShownBlock | undefined {
  if (typeof profile !== 'string' || !Array.isArray(servers)) return undefined;
  return {
    profile: profile as ProfileName,
    contextTokens: toAmount(context),
    toolSearch: search === 'always' || search === 'never' ? search : 'auto',
    canSearch: canSearch !== false,
    builtIns: toAmount(builtIns),
    system: toAmount(system),
    servers: servers.slice(0, SERVERS_LIMIT).flatMap((one) => toShownServer(one) ?? []),
  };
}

function toShownServer(value: unknown): ShownServer | undefined {
  const [name, sums, tools] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  if (typeof name !== 'string' || !Array.isArray(sums)) return undefined;
  const [loaded = 0, deferred = 0, instructions = 0, count = 0, names = 0, always = 0, marked = 0] = sums.map(toAmount);
  const each = isObject(tools) ? Object.entries(tools).slice(0, TOOLS_LIMIT) : [];
  return {
    name,
    loaded,
    deferred,
    instructions,
    count,
    names,
    always,
    marked,
    tools: new Map(each.map(([tool, told]) => [tool, toShownTool(tool, told, `mcp__${name}__`)])),
  };
}

function toShownTool(name: string, told: unknown, start: string): ShownTool {
  if (!Array.isArray(told)) return { tokens: toAmount(told), own: name.slice(start.length) };
  const [tokens, own] = told as readonly unknown[];
  return { tokens: toAmount(tokens), own: typeof own === 'string' ? own : undefined };
}

/** A number that can be added up; 0 for anything else. */
export function toAmount(value: unknown): number {
  return typeof value === 'number' && value >= 0 && value <= MOST ? value : 0;
}

const NO_CHANGES: ReadonlyMap<string, number> = new Map();
const MOST = 1e12; // a thousand billion tokens or milliseconds: sums of a million lines stay exact
