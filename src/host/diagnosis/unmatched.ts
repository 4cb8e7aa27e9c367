import type { HostConfig } from '../../config/load.js';
import type { UnmatchedHook } from '../../model/permissions/unmatched-hooks.js';
import type { UnmatchedRule } from '../../model/permissions/unmatched.js';
import { PREFIX, SEPARATOR } from '../../model/permissions/rule.js';
import { serverSpellings } from '../../model/permissions/subject.js';
import { gateLine } from '../../model/text/text-gate.js';
import type { Unmatched } from '../tools/unmatched.js';
import type { Finding } from './finding.js';

/** Rules, modes and hooks that match nothing: their author believes that they block or allow something. */
export function diagnoseUnmatched({ rules, hooks }: Unmatched, loaded: HostConfig): readonly Finding[] {
  const servers = new Set(loaded.servers.map(({ name }) => name));
  const modes = loaded.permissions.modes.filter(({ server }) => server !== undefined && !servers.has(server));
  return [
    ...rules.slice(0, TOLD).map((one) => ruleFinding(one, servers)),
    ...hooks.slice(0, TOLD).map(hookFinding),
    ...modes.slice(0, TOLD).map(({ server = '', mode, file, line }): Finding => ({
      severity: 'info',
      code: 'unmatched-rule',
      message: oneLine(`Mode ${mode} is for server "${server}", and no such server is configured here`),
      hint: 'plugboard permissions shows all rules and modes, plugboard list all servers',
      file,
      ...(line !== undefined && { line }),
    })),
  ];
}

/** Only an info for a server that is not configured here: settings apply in every project, and another may have it. */
function ruleFinding({ rule, meant }: UnmatchedRule, servers: ReadonlySet<string>): Finding {
  const isKnown = [...servers]
    .flatMap(serverSpellings)
    .some((one) => `${rule.text}${SEPARATOR}`.startsWith(PREFIX + one + SEPARATOR));
  const { file, line } = rule;
  return {
    severity: isKnown || meant !== undefined ? 'warning' : 'info',
    code: 'unmatched-rule',
    message: oneLine(`Rule "${rule.text}" in ${rule.list} matches nothing that is known here`),
    hint: meantHint(meant, 'plugboard permissions shows all rules, plugboard tools all tools'),
    file,
    ...(line !== undefined && { line }),
  };
}

function hookFinding({ hook, meant, fault }: UnmatchedHook): Finding {
  const { event, matcher = '', file, line } = hook;
  const what = fault === undefined ? 'matches nothing that is known here, so that the hook never runs' : fault;
  return {
    severity: fault === undefined ? 'warning' : 'error',
    code: 'unmatched-matcher',
    message: oneLine(`Matcher "${matcher}" of a hook for ${event} ${what}`),
    hint: meantHint(meant, 'Name tools as plugboard tools shows them, mcp__server__*, or write a regular expression'),
    file,
    ...(line !== undefined && { line }),
  };
}

function meantHint(meant: string | undefined, otherwise: string): string {
  return meant === undefined ? otherwise : oneLine(`Did you mean ${meant}?`);
}

const TOLD = 20;
const LINE_LIMIT = 500;

function oneLine(text: string): string {
  return gateLine(text, { limit: LINE_LIMIT }).text;
}
