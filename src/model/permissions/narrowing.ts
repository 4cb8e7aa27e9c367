import { shorten } from '../../base/shorten.js';
import { findNarrow, spell } from './match.js';
import { isSkillRule, readRule } from './rule.js';
import { toPermissions } from './settings.js';
import type { SubjectToolNames } from './subject.js';

/** The tools that a sub-agent may use at all, whatever permissions say. */
export interface Narrowing {
  admits(names: SubjectToolNames): boolean;
}

export type ReadNarrowing =
  | { readonly kind: 'narrowing'; readonly narrowing: Narrowing }
  | { readonly kind: 'fault'; readonly reason: string; readonly hint: string };

/** Rules are matched narrowly, like those that permit calls: what a rule means only in another reading is left out. */
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
  const one = (rules as readonly string[]).find(isSkillRule);
  if (one !== undefined) {
    const reason = `The rule "${shorten(one, 100)}" names one skill, and an agent is given all skills or none`;
    return { kind: 'fault', reason, hint: 'Write "Skill"' };
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

/** Needed to find and call the admitted tools and to read their results. */
const NEEDED: ReadonlySet<string> = new Set(['ToolSearch', 'CallMcpTool', 'Read']);
