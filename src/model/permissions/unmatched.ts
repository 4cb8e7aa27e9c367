import { nearest } from '../../base/nearest.js';
import { findNarrow, findServerRule, findWide, spell } from './match.js';
import { isSkillRule, PREFIX, SEPARATOR } from './rule.js';
import { serverActs } from './server-act.js';
import { type PermissionSettings, toPermissions, type WrittenRule } from './settings.js';
import { serverSpellings, type SubjectToolNames } from './subject.js';

/** A rule that matches nothing known. */
export interface UnmatchedRule {
  /** The rule with its place in the settings. */
  readonly rule: WrittenRule;
  /** The name that was probably meant. */
  readonly meant?: string;
}

export interface KnownTools {
  readonly tools: readonly SubjectToolNames[];
  /** Servers that have not listed their tools yet: a rule for one of them may still match. */
  readonly unasked?: readonly string[];
  /** All servers, because rules may name their actions. Default: those that have tools. */
  readonly servers?: readonly string[];
}

/** The rules that match nothing known: mistyped, or for a server or tool that does not exist. */
export function unmatchedRules(
  settings: PermissionSettings,
  { tools, unasked = [], servers = tools.flatMap(({ server }) => server ?? []) }: KnownTools,
): readonly UnmatchedRule[] {
  const spelled = [...tools, ...[...new Set(servers)].flatMap(actsOf)].map(spell);
  const isMatched = (rule: WrittenRule): boolean => {
    const index = toPermissions({ rules: [rule], modes: [], doubts: [] }).lists[rule.list];
    const finds = rule.list === 'allow' ? findNarrow : findWide;
    // Skills come and go with what servers list.
    return (
      isSkillRule(rule.text) ||
      spelled.some((one) => finds(index, one) !== undefined) ||
      unasked.some((server) => namesServer(rule.text, server) || findServerRule(index, server) !== undefined)
    );
  };
  return settings.rules
    .filter((rule) => !isMatched(rule))
    .map((rule) => {
      const meant = nearestWord(rule.text, tools);
      return { rule, ...(meant !== undefined && { meant }) };
    });
}

/** The tool or server that a text probably means. */
export function nearestWord(
  text: string,
  tools: readonly Pick<SubjectToolNames, 'name' | 'server'>[],
): string | undefined {
  const words = tools.flatMap(({ name, server }) => [name, ...(server === undefined ? [] : [PREFIX + server])]);
  const different = new Set(words);
  return different.size > WORDS_LIMIT ? undefined : nearest(text, different)[0];
}

const WORDS_LIMIT = 2_000; // comparing with more takes too long for a hint

/** A server's actions that rules decide like tools. */
export function actsOf(server: string): readonly SubjectToolNames[] {
  return serverActs.map((act) => ({
    name: `${PREFIX}${server}${SEPARATOR}${act}`,
    server,
    tool: act,
    act,
    author: 'user',
  }));
}

function namesServer(text: string, server: string): boolean {
  return serverSpellings(server).some((spelling) => text.startsWith(PREFIX + spelling + SEPARATOR));
}
