import { parseHookMatcher } from '../hooks/hook-matcher.js';
import type { HookSetting } from '../hooks/hook-settings.js';
import { spell } from './match.js';
import type { SubjectToolNames } from './subject.js';

/** The hooks that see calls of a tool. One whose matcher nobody can read sees all of them before they are made. */
export function hooksFor(tool: SubjectToolNames, hooks: readonly HookSetting[]): readonly HookSetting[] {
  const spelled = spell(tool);
  return hooks.filter(({ event, matcher: text }) => {
    if (event === 'Elicitation') return false;
    const matcher = parseHookMatcher(text);
    return matcher.kind === 'unreadable' ? event === 'PreToolUse' : matcher.covers(spelled) !== false;
  });
}
