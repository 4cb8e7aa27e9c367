import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ForeignEntry, ForeignFile, ImportProblem } from './importer.js';
import { quote } from './mapping.js';
import { ownAt } from '../entries/servers.js';
import { notCarriedOver } from './server-map.js';

/**
 * Applies `tools: { "jira_*": false, "jira_search": true }`. opencode calls a tool `server_tool`, and `*` matches
 * anything; our entries name tools one by one. A pattern that cannot be expressed so is reported.
 */
export function withToolSwitches(file: ForeignFile, value: RawEntry): ForeignFile {
  const tools = ownAt(value, ['tools']);
  if (!isObject(tools)) return file;
  const remarks: ImportProblem[] = [];
  const entries = file.entries.map((entry): ForeignEntry => {
    if (!isObject(entry.raw)) return entry;
    const prefix = `${entry.name.replaceAll(/[^\w-]/gu, '_')}_`;
    const switches = Object.entries(tools)
      .slice(0, PATTERNS_LIMIT)
      .flatMap(([pattern, isOn]) => {
        const read = typeof isOn === 'boolean' ? readPattern(pattern, prefix) : undefined;
        if (read === 'unsaid') remarks.push(cannotExpress(pattern, entry.name));
        return read === undefined || read === 'unsaid' ? [] : [{ ...read, isOn }];
      });
    return switches.length === 0 ? entry : { ...entry, ...toSwitched(switches) };
  });
  return { entries, remarks: [...file.remarks, ...remarks] };
}

const PATTERNS_LIMIT = 1000; // each is compared with each server; people write a handful

type Read = { readonly kind: 'all' } | { readonly kind: 'one'; readonly tool: string };

/** What a pattern means for the server whose tools start with `prefix`; undefined when it is about others. */
function readPattern(pattern: string, prefix: string): Read | 'unsaid' | undefined {
  // `jira*` may match other servers, too; for this one it means every tool.
  const beforeStar = pattern.indexOf('*') === pattern.length - 1 ? pattern.slice(0, -1) : undefined;
  if (beforeStar !== undefined && prefix.startsWith(beforeStar)) return { kind: 'all' };
  if (!pattern.startsWith(prefix)) return undefined;
  const tool = pattern.slice(prefix.length);
  return /[*?]/u.test(tool) ? 'unsaid' : { kind: 'one', tool };
}

/** A server whose tools are all off is disabled: in opencode single agents may switch them on again. */
function toSwitched(
  switches: readonly (Read & { readonly isOn: unknown })[],
): Pick<ForeignEntry, 'tools' | 'off' | 'notes'> {
  const tools = (isOn: boolean): string[] =>
    switches.flatMap((one) => (one.kind === 'one' && one.isOn === isOn ? [one.tool] : []));
  const [on, off] = [tools(true), tools(false)];
  const allOff = switches.some((one) => one.kind === 'all' && one.isOn === false);
  if (allOff && on.length === 0) {
    return {
      off: 'everywhere',
      notes: ['"tools" of opencode disables all tools of this server: the server is disabled here'],
    };
  }
  return { tools: { ...(allOff && { includeTools: on }), ...(off.length > 0 && { excludeTools: off }) } };
}

function cannotExpress(pattern: string, server: string): ImportProblem {
  const message = `"tools" ${quote(pattern)} is left out: an entry names its tools one by one here`;
  return notCarriedOver(['tools', pattern], message, `Name them in "excludeTools" of ${quote(server)}`);
}
