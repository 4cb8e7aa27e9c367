import { ownServers, spell } from './match.js';
import { PREFIX, SEPARATOR } from './rule.js';
import { isForTwin, modeFor, type PermissionSettings, type WrittenMode, type WrittenRule } from './settings.js';
import type { ToolNames } from './subject.js';

/** What lets tools of a server run unasked, as far as no rule stops them. */
export type Allowing = { readonly rule: WrittenRule } | { readonly mode: WrittenMode };

/** What would allow tools of a server, whatever they are called: nobody has to know its tools yet. */
export function allowingRules(
  settings: PermissionSettings,
  names: Omit<ToolNames, 'name' | 'tool'>,
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
