import { parseHookMatcher } from '../hooks/hook-matcher.js';
import type { HookSetting } from '../hooks/hook-settings.js';
import { spell } from './match.js';
import type { SubjectToolNames } from './subject.js';

/** The tool-call hooks that apply to a tool. A `PreToolUse` hook with an unreadable matcher applies to all. */
export function hooksFor(tool: SubjectToolNames, hooks: readonly HookSetting[]): readonly HookSetting[] {
  const spelled = spell(tool);
  return hooks.filter(({ event, matcher: text }) => {
    if (event === 'Elicitation') return false;
    const matcher = parseHookMatcher(text);
    return matcher.kind === 'unreadable' ? event === 'PreToolUse' : matcher.covers(spelled) !== false;
  });
}
