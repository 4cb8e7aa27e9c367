import { parseHookMatcher, spellServer } from '../hooks/hook-matcher.js';
import { type HookSetting, isCallEvent, isQuestionEvent } from '../hooks/hook-settings.js';
import { type Spelled, spell } from './match.js';
import { PREFIX, SEPARATOR } from './rule.js';
import { serverSpellings } from './subject.js';
import { actsOf, type KnownTools, nearestWord } from './unmatched.js';

/** A hook that matches nothing known. */
export interface UnmatchedHook {
  /** The hook with its place in the settings. */
  readonly hook: HookSetting;
  /** Why the matcher cannot be read; undefined when it matches nothing known. */
  readonly fault?: string;
  /** The name that was probably meant. */
  readonly meant?: string;
}

/** The hooks whose matcher matches nothing known: such a hook blocks no call. */
export function unmatchedHooks(
  hooks: readonly HookSetting[],
  { tools, unasked = [], servers = [] }: KnownTools,
): readonly UnmatchedHook[] {
  const calls = [...tools, ...servers.flatMap(actsOf)].map(spell);
  const questions = servers.map(spellServer);
  return hooks.flatMap((hook): readonly UnmatchedHook[] => {
    const { matcher: text = '', event, fault } = hook;
    if (fault !== undefined) return []; // told where the settings are read
    const matcher = parseHookMatcher(text);
    if (matcher.kind === 'unreadable') return [{ hook, fault: matcher.reason }];
    const isQuestion = isQuestionEvent(event);
    if (!isQuestion && !isCallEvent(event)) return [];
    const known: readonly Spelled[] = isQuestion ? questions : calls;
    // A match that takes too long to decide counts as a match.
    if (known.some((one) => matcher.covers(one) !== false)) return [];
    const mayBeLater = (server: string): boolean =>
      matcher.covers(anyToolOf(server)) !== false || names(text, server) || (matcher.isPattern && namesNobody(text));
    if (!isQuestion && unasked.some(mayBeLater)) return [];
    const meant = nearestWord(text, isQuestion ? servers.map((name) => ({ name, server: undefined })) : tools);
    return [{ hook, ...(meant !== undefined && { meant }) }];
  });
}

function anyToolOf(server: string): Spelled {
  return spell({ name: PREFIX + server + SEPARATOR + ANY, server, tool: ANY, author: 'user' });
}

const ANY = 'x';

function names(text: string, server: string): boolean {
  const plain = text.replaceAll('\\', '');
  return serverSpellings(server).some((spelling) => plain.includes(PREFIX + spelling + SEPARATOR));
}

/** Whether a pattern names no server. */
function namesNobody(text: string): boolean {
  return !/mcp__[a-zA-Z0-9.\\-]+(?:_[a-zA-Z0-9.\\-]+)*__/u.test(text);
}
