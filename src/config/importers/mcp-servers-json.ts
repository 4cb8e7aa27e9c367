import type { RawEntry } from '../../transports/kind.js';
import type { Importer } from './importer.js';
import { type FieldRules, isNothing, lose, mapEntry, timeout, unless } from './mapping.js';
import { serversBelow } from './server-map.js';
import type { VariableSyntax } from './variables.js';

export interface McpServersHost extends Pick<Importer, 'host' | 'title' | 'files'> {
  readonly rules: FieldRules;
  readonly dialect: VariableSyntax;
  /** Adds what the host implies, before the rules are applied. */
  readonly prepare?: (raw: RawEntry) => RawEntry;
}

/** An importer for a host with `mcpServers` in a JSON file, with its own fields and variable syntax. */
export function mcpServersHost({ rules, dialect, prepare, ...host }: McpServersHost): Importer {
  return {
    ...host,
    format: 'json',
    parseFile: (value) => serversBelow(value, ['mcpServers']),
    toEntry: (raw) => mapEntry(prepare ? prepare(raw) : raw, { timeout, ...rules }, dialect),
  };
}

/** For lists of tools that may run unasked: the user has to decide that again here. */
export const loseApprovals = unless(isNothing, lose('Plugboard does not import what may run without asking'));
