import { placeText } from '../../model/permissions/decision.js';
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

/** The hooks that match nothing known. */
export function hooksText(unmatched: readonly UnmatchedHook[]): readonly string[] {
  return unmatched.map(({ hook, fault, meant }) => {
    const why = fault ?? `matches no known server or tool${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    return `Hook ${hook.event}, matcher "${hook.matcher ?? ''}", ${placeText(hook)}: ${why}`;
  });
}

const RULE_COLUMN = 48;
