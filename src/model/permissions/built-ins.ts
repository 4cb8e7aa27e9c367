import type { ToolNames } from './subject.js';

/** The tools that every host has, whether it offers them at the moment or not: a rule may name them. */
export const builtInNames = ['Read', 'ListMcpResources', 'ReadMcpResource', 'ToolSearch', 'CallMcpTool'] as const;

/** Those that change nothing. */
export function isReadingBuiltIn(name: string): boolean {
  return name !== 'CallMcpTool' && builtInNames.some((one) => one === name);
}

export function builtInTools(): readonly ToolNames[] {
  return builtInNames.map((name) => ({ name, server: undefined, tool: name, author: 'built-in' }));
}
