import type { RawEntry } from '../../transports/kind.js';
import type { Importer } from './importer.js';
import { type FieldRules, isNothing, lose, mapEntry, timeout, unless } from './mapping.js';
import { serversBelow } from './server-map.js';
import type { VariableSyntax } from './variables.js';

export interface McpServersHost extends Pick<Importer, 'host' | 'title' | 'files'> {
  readonly rules: FieldRules;
  readonly dialect: VariableSyntax;
  /** Says what the host leaves unsaid, before the rules see the entry. */
  readonly prepare?: (raw: RawEntry) => RawEntry;
}

/** Hosts with `mcpServers` in a JSON file that differ in a few fields and in how they name variables. */
export function mcpServersHost({ rules, dialect, prepare, ...host }: McpServersHost): Importer {
  return {
    ...host,
    format: 'json',
    parseFile: (value) => serversBelow(value, ['mcpServers']),
    toEntry: (raw) => mapEntry(prepare ? prepare(raw) : raw, { timeout, ...rules }, dialect),
  };
}

/** Tools that may run unasked: a choice about this machine that has to be made anew. */
export const loseApprovals = unless(isNothing, lose('what may run unasked is not taken from another host'));
