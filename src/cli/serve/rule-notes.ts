import type { LoadedConfig } from '../../actions/action-place.js';
import type { Host } from '../../index.js';
import { idleRule, type ServersOfRules } from '../../model/permissions/servers-rule.js';
import type { RuleList } from '../../model/permissions/settings.js';

export interface RuleNotesOptions {
  readonly host: Pick<Host, 'tools' | 'unmatchedFlags'>;
  readonly loaded: Pick<LoadedConfig, 'permissions' | 'servers' | 'settings'>;
}

/** Rules of flags and of presets, and names in presets, that are for nothing: their author relies on them. */
export function ruleNotes({ host, loaded }: RuleNotesOptions): readonly string[] {
  const served = servedNames({ host, loaded });
  const flags = loaded.permissions.rules.filter(({ source }) => source === 'flag');
  // A rule with a star may be for what a server has not listed yet.
  const exact = host.unmatchedFlags().filter(({ rule }) => !rule.text.includes('*'));
  const unmatched = new Map(exact.map((one) => [one.rule.text, one]));
  const ofFlags = flags.flatMap(({ text, list, file }) => {
    const fault = ruleFault(text, list, served);
    if (fault !== undefined) return [`${file} ${text} ${fault}`];
    const unknown = unmatched.get(text);
    return unknown ? [`${file} ${text} matches no known tool${ending(unknown.meant)}`] : [];
  });
  const ofPresets = Object.entries(loaded.settings.gateway?.presets ?? {}).flatMap(([name, preset]) => {
    const rules = (preset.tools ?? []).flatMap((text) => {
      const fault = ruleFault(text, 'allow', served);
      return fault === undefined ? [] : [`"${text}" in "tools" ${fault}`];
    });
    const others = (preset.servers ?? []).filter((one) => served.areAll && !served.servers.includes(one));
    const unknown = others.map((one) => `"${one}" in "servers" is not configured: ${thereAre(served)}`);
    return [...unknown, ...rules].map((text) => `preset "${name}": ${text}`);
  });
  return [...ofFlags, ...ofPresets].map((text) => `warning: ${text}`);
}

/** Whether an allow rule is for something that a gateway serves. */
export function isIdle(text: string, options: RuleNotesOptions): boolean {
  return idleRule(text, servedNames(options)) !== undefined;
}

interface Served extends ServersOfRules {
  /** Whether no others can join without an edit. */
  readonly areAll: boolean;
}

function servedNames({ host, loaded }: RuleNotesOptions): Served {
  const servers = [...new Set(loaded.servers.map(({ name }) => name))];
  // An account's connectors come when its catalogue has answered.
  return { servers, tools: host.tools(), areAll: servers.length > 0 && !loaded.settings.connectors };
}

function ruleFault(text: string, list: RuleList, served: Served): string | undefined {
  const idle = idleRule(text, served, { stops: list !== 'allow' });
  if (!idle) return undefined;
  if (idle.why === 'form')
    return `matches no tool of a server${ending(idle.meant ?? 'mcp__SERVER or mcp__SERVER__TOOL')}`;
  if (!served.areAll) return undefined;
  const meant = idle.meant === undefined ? '' : `. Did you mean ${idle.meant}?`;
  return `names a server that is not configured: ${thereAre(served)}${meant}`;
}

function ending(meant: string | undefined): string {
  return meant === undefined ? '' : `: did you mean ${meant}?`;
}

function thereAre({ servers }: Served): string {
  const named = servers.slice(0, NAMED).join(', ');
  const more = servers.length > NAMED ? ` and ${servers.length - NAMED} more` : '';
  return servers.length === 1 ? `there is only ${named}` : `there are ${named}${more}`;
}

const NAMED = 10;
