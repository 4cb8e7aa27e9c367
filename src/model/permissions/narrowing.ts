import { shorten } from '../../base/shorten.js';
import { findNarrow, spell } from './match.js';
import { readRule } from './rule.js';
import { toPermissions } from './settings.js';
import type { SubjectToolNames } from './subject.js';

/** Which of the tools there are somebody may use at all: a sub-agent, whatever it would be permitted. */
export interface Narrowing {
  admits(names: SubjectToolNames): boolean;
}

export type ReadNarrowing =
  | { readonly kind: 'narrowing'; readonly narrowing: Narrowing }
  | { readonly kind: 'fault'; readonly reason: string; readonly hint: string };

/** Rules are read as those that permit something: what they could be read as meaning besides is left out. */
export function readNarrowing(rules: readonly unknown[]): ReadNarrowing {
  for (const text of rules) {
    const reading = readRule(text);
    if (reading.kind === 'fault')
      return {
        kind: 'fault',
        reason: `The rule "${shorten(String(text), 100)}" ${reading.reason}`,
        hint: reading.hint,
      };
  }
  const written = (rules as readonly string[]).map(
    (text) => ({ text, list: 'allow', source: 'flag', file: 'tools of an agent' }) as const,
  );
  const { lists } = toPermissions({ rules: written, modes: [], doubts: [] });
  return {
    kind: 'narrowing',
    narrowing: {
      admits: (names) =>
        (names.author === 'built-in' && NEEDED.has(names.name)) || findNarrow(lists.allow, spell(names)) !== undefined,
    },
  };
}

/** Without these the others cannot be found or called, nor their results be read. */
const NEEDED: ReadonlySet<string> = new Set(['ToolSearch', 'CallMcpTool', 'Read']);
