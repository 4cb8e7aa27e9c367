import { findNarrow, ownServers, spell } from './match.js';
import { PREFIX, SEPARATOR } from './rule.js';
import { isForTwin, modeFor, type PermissionSettings, type WrittenMode, type WrittenRule } from './settings.js';
import type { SubjectToolNames } from './subject.js';

/** A rule or mode that lets tools of a server run without a question, unless another rule stops them. */
export type Allowing = { readonly rule: WrittenRule } | { readonly mode: WrittenMode };

/** The rules and the mode that would allow tools of a server, whatever their names, which need not be known yet. */
export function allowingRules(
  settings: PermissionSettings,
  names: Omit<SubjectToolNames, 'name' | 'tool'>,
): readonly Allowing[] {
  const starts = ownServers(spell({ ...names, name: '', tool: '' })).map((server) => PREFIX + server);
  const mayMean = ({ text }: WrittenRule): boolean => {
    const [before = ''] = text.split('*');
    return starts.some((start) => {
      const tools = start + SEPARATOR;
      return text === start || before.startsWith(tools) || (text !== before && tools.startsWith(before));
    });
  };
  const rules = settings.rules.filter(
    (rule) => rule.list === 'allow' && !(names.hasTwin === true && isForTwin(rule)) && mayMean(rule),
  );
  const mode = modeFor(settings, names);
  return [...rules.map((rule) => ({ rule })), ...(mode?.mode === 'bypass' ? [{ mode }] : [])];
}

/** The rule that would allow a tool but does not, because it is meant for the user's own server of the same name. */
export function withheldRule(settings: PermissionSettings, names: SubjectToolNames): WrittenRule | undefined {
  if (names.hasTwin !== true) return undefined;
  const spelled = spell(names);
  const { rule } = findNarrow(settings.lists.allow, spelled) ?? {};
  return rule && !findNarrow(settings.twinAllow, spelled) ? rule : undefined;
}
