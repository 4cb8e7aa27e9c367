import { parseHookMatcher } from '../hooks/hook-matcher.js';
import { isCallEvent, type HookSetting } from '../hooks/hook-settings.js';
import { spell } from './match.js';
import type { SubjectToolNames } from './subject.js';

/** The tool-call hooks that apply to a tool. One with an unreadable matcher applies to all: it blocks them. */
export function hooksFor(tool: SubjectToolNames, hooks: readonly HookSetting[]): readonly HookSetting[] {
  const spelled = spell(tool);
  return hooks.filter(({ event, matcher: text }) => {
    if (!isCallEvent(event)) return false;
    const matcher = parseHookMatcher(text);
    return matcher.kind === 'unreadable' || matcher.covers(spelled) !== false;
  });
}
