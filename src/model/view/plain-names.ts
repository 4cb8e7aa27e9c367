import { NAME_LIMIT, toPrefix } from './names.js';

/** The tools of one server, as it spells them. */
export interface ServerTools {
  readonly server: string;
  readonly connector: boolean;
  readonly tools: readonly string[];
}

/**
 * The beginning of each server's tool names, if every tool can have its plain name: beginning and spelling, as
 * `assignNames` would assign it. Undefined when a name is contested, which is rare. Checks all tools of a server
 * together: ten thousand take three milliseconds.
 */
export function plainStarts(servers: readonly ServerTools[]): readonly string[] | undefined {
  const starts: string[] = [];
  for (const { server, connector, tools } of servers) {
    const start = toPrefix(server, connector);
    if (tools.length > 0 && !isPlain(tools, NAME_LIMIT - start.length)) return undefined;
    starts.push(start);
  }
  return isApart(starts) ? starts : undefined;
}

function isPlain(tools: readonly string[], room: number): boolean {
  const all = tools.join('');
  // With a function for each: a loop over ten thousand names would be compiled, and that takes longer than to run it.
  if (OUTSIDE.test(all) || !tools.every(({ length }) => length > 0 && length <= room)) return false;
  return new Set(UPPER.test(all) ? tools.map((tool) => tool.toLowerCase()) : tools).size === tools.length;
}

/** Whether no name can have two of these beginnings: `mcp__a__` and `mcp__a__b__` could collide. */
function isApart(starts: readonly string[]): boolean {
  const sorted = starts.map((start) => start.toLowerCase()).toSorted();
  return sorted.every((start, at) => at === 0 || !start.startsWith(sorted[at - 1]!));
}

const OUTSIDE = /[^a-zA-Z0-9_-]/;
const UPPER = /[A-Z]/;
