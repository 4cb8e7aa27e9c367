import type { FieldIssue } from '../../transports/kind.js';
import { checkConfig, parseEntry, type ServerConfig } from '../../transports/kinds.js';
import { type ExpandedEntry, toCheckable } from './expand-entry.js';

/** What is wrong with an expanded entry, whatever the values of unset variables will be. */
export function checkExpanded(config: ServerConfig, expanded: ExpandedEntry): readonly FieldIssue[] {
  if (expanded.missing.length === 0) return checkConfig(config);
  const { entry, unknown } = toCheckable(expanded);
  return checkConfig(parseEntry(entry).config ?? config).filter(({ path }) => !unknown.includes(String(path[0])));
}
