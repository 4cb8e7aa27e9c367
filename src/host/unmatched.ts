import type { LoadedConfig } from '../config/load.js';
import type { Connection } from '../connection/connection.js';
import { builtInTools } from '../model/permissions/built-ins.js';
import type { ToolNames } from '../model/permissions/subject.js';
import { type UnmatchedRule, unmatchedRules } from '../model/permissions/unmatched.js';
import { type UnmatchedHook, unmatchedHooks } from '../model/permissions/unmatched-hooks.js';

/** What is written about calls and means nothing that is known. */
export interface Unmatched {
  readonly rules: readonly UnmatchedRule[];
  readonly hooks: readonly UnmatchedHook[];
}

export interface KnownParts {
  readonly loaded: Pick<LoadedConfig, 'servers' | 'permissions' | 'hooks'>;
  /** Of servers, and of the program. */
  readonly tools: readonly ToolNames[];
  readonly connection: (server: string) => Connection | undefined;
}

/** A server that nobody has asked yet may have whatever a rule means. */
export function findUnmatched({ loaded, tools, connection }: KnownParts): Unmatched {
  const servers = [...new Set(loaded.servers.map(({ name }) => name))];
  const isAsked = (server: string): boolean => (connection(server)?.catalog.source ?? 'none') !== 'none';
  const known = { tools: [...tools, ...builtInTools()], unasked: servers.filter((one) => !isAsked(one)), servers };
  return { rules: unmatchedRules(loaded.permissions, known), hooks: unmatchedHooks(loaded.hooks, known) };
}
