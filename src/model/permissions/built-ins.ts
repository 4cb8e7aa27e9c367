import type { SubjectToolNames } from './subject.js';

/** The tools that every host has, whether it offers them at the moment or not: a rule may name them. */
export const builtInNames = ['Read', 'ListMcpResources', 'ReadMcpResource', 'ToolSearch', 'CallMcpTool'] as const;

/** What a session has besides. */
const sessionNames: readonly string[] = ['Agent'];

/** Those that change nothing. */
export function isReadingBuiltIn(name: string): boolean {
  return name !== 'CallMcpTool' && [...builtInNames, ...sessionNames].includes(name);
}

export function builtInTools(): readonly SubjectToolNames[] {
  return [...builtInNames, ...sessionNames].map((name) => ({
    name,
    server: undefined,
    tool: name,
    author: 'built-in',
  }));
}
