import { placeText } from '../../model/permissions/decision.js';
import { type FlowSettings, parseFlowRule } from '../../model/flow/flow-settings.js';
import type { PermissionSettings } from '../../model/permissions/settings.js';
import type { UnmatchedHook } from '../../model/permissions/unmatched-hooks.js';
import type { UnmatchedRule } from '../../model/permissions/unmatched.js';

/** All permission settings as lines: modes, and rules with their files. `unmatched`: rules that match nothing known. */
export function rulesText(
  { modes, rules, doubts }: PermissionSettings,
  unmatched: readonly UnmatchedRule[] = [],
): readonly string[] {
  const general = modes.find(({ server }) => server === undefined);
  const unmet = new Map(unmatched.map((one) => [one.rule, one]));
  const wide = Math.min(Math.max(0, ...rules.map(({ text }) => text.length)), RULE_COLUMN);
  return [
    general ? `Mode: ${general.mode}, from ${placeText(general)}` : 'Mode: default, because none is configured',
    ...modes.flatMap((one) =>
      one.server === undefined ? [] : [`  of server "${one.server}": ${one.mode}, from ${placeText(one)}`],
    ),
    ...doubts.map(
      ({ behavior, reason }) => `Every call ${behavior === 'deny' ? 'is denied' : 'asks you first'}: ${reason}`,
    ),
    rules.length === 0 ? 'No rules.' : 'Rules, deny before ask before allow:',
    ...rules.map((rule) => {
      const { meant } = unmet.get(rule) ?? {};
      const remark = unmet.has(rule)
        ? `  matches no known server or tool${meant === undefined ? '' : `; did you mean ${meant}?`}`
        : '';
      return `  ${rule.list.padEnd(5)}  ${rule.text.padEnd(wide)}  ${placeText(rule)}${remark}`;
    }),
  ];
}

/** What the flow guard does, and what it lets pass. `servers`: the names that are known. */
export function flowText(
  { mode, allow = [], ownAllow = [] }: FlowSettings,
  servers: readonly string[],
): readonly string[] {
  const isKnown = (name: string): boolean => servers.includes(name) || NO_SERVERS.has(name);
  const remark = (rule: string): string => {
    const { from = '', to = '' } = parseFlowRule(rule) ?? {};
    const unknown = [from, to].filter((name) => !isKnown(name));
    return unknown.length === 0 ? '' : `  no server is called ${unknown.join(' or ')}`;
  };
  return [
    `Flow guard: ${mode ?? 'ask where you can be asked, else off'}`,
    ...ownAllow.map((rule) => `  allow  ${rule}${remark(rule)}`),
    ...allow.map((rule) => `  allow  ${rule}, for all servers of this project${remark(rule)}`),
  ];
}

/** Names in rules about flows that no server has. */
const NO_SERVERS: ReadonlySet<string> = new Set(['*', 'Read', 'stdin']);

/** The hooks that match nothing known. */
export function hooksText(unmatched: readonly UnmatchedHook[]): readonly string[] {
  return unmatched.map(({ hook, fault, meant }) => {
    const why = fault ?? `matches no known server or tool${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    return `Hook ${hook.event}, matcher "${hook.matcher ?? ''}", ${placeText(hook)}: ${why}`;
  });
}

const RULE_COLUMN = 48;
