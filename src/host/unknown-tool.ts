import { HostError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import { nameWord } from '../base/shell-word.js';
import type { Connection } from '../connection/connection.js';
import { toNamePart } from '../model/names.js';

export interface Known {
  /** Names of tools that there are. */
  readonly tools: readonly string[];
  readonly connections: readonly Connection[];
}

/** There is no such tool: because its server wants a sign-in first, because it failed, or one is meant that is spelt nearly alike. */
export function unknownTool(name: string, { tools, connections }: Known): HostError {
  const owners = connections.filter(({ name: server }) => name.startsWith(`mcp__${toNamePart(server)}__`));
  for (const { status } of owners) if (status.kind === 'needs-auth') return status.error;
  const away = owners.find(({ status }) => status.kind === 'failed');
  const [close] = nearest(name, tools);
  return new HostError('unknown-tool', `There is no tool "${name}"`, {
    hint: away
      ? `Its server failed: plugboard doctor ${nameWord(away.name)}`
      : close === undefined
        ? 'plugboard tools shows which there are'
        : `Did you mean ${close}?`,
  });
}
