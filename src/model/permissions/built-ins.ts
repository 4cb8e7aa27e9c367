import type { SubjectToolNames } from './subject.js';

/** The built-in tools of every host, offered at the moment or not: a rule may name them. */
export const builtInNames = [
  'Read',
  'ListMcpResources',
  'ReadMcpResource',
  'Skill',
  'ToolSearch',
  'CallMcpTool',
] as const;

/** The built-in tools that a session adds. */
const sessionNames: readonly string[] = ['Agent'];

/** Whether a built-in tool changes nothing. */
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
