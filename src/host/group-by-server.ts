import type { ServerTool } from './servers/server-tool.js';

/** The tools of each server, in their order. */
export function groupByServer(tools: readonly ServerTool[]): ReadonlyMap<string, readonly ServerTool[]> {
  const groups = new Map<string, ServerTool[]>();
  for (const tool of tools) {
    const group = groups.get(tool.server);
    if (group) group.push(tool);
    else groups.set(tool.server, [tool]);
  }
  return groups;
}

/** Whether both lists have the same names in the same order. */
export function isSameNames(one: readonly ServerTool[], other: readonly ServerTool[]): boolean {
  return one === other || (one.length === other.length && one.every(({ name }, at) => name === other[at]!.name));
}
