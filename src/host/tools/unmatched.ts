import type { HostConfig } from '../../config/load.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { builtInTools } from '../../model/permissions/built-ins.js';
import type { SubjectToolNames } from '../../model/permissions/subject.js';
import { type KnownTools, type UnmatchedRule, unmatchedRules } from '../../model/permissions/unmatched.js';
import { type UnmatchedHook, unmatchedHooks } from '../../model/permissions/unmatched-hooks.js';

/** What is written about calls and means nothing that is known. */
export interface Unmatched {
  readonly rules: readonly UnmatchedRule[];
  readonly hooks: readonly UnmatchedHook[];
}

export interface KnownParts {
  readonly loaded: Pick<HostConfig, 'servers' | 'permissions' | 'hooks'>;
  /** Of servers, and of the program. */
  readonly tools: () => readonly SubjectToolNames[];
  readonly connection: (server: string) => ServerLifecycle | undefined;
}

/** A server that nobody has asked yet may have whatever a rule means. */
export function findUnmatched(parts: KnownParts): Unmatched {
  const { permissions, hooks } = parts.loaded;
  const known = knownIn(parts);
  return { rules: unmatchedRules(permissions, known), hooks: unmatchedHooks(hooks, known) };
}

/** The same of what came with this run alone: flags, or options of an embedder. */
export function findUnmatchedFlags(parts: KnownParts): readonly UnmatchedRule[] {
  const { permissions } = parts.loaded;
  const rules = permissions.rules.filter(({ source }) => source === 'flag');
  return rules.length === 0 ? [] : unmatchedRules({ ...permissions, rules }, knownIn(parts));
}

function knownIn({ loaded, tools, connection }: KnownParts): KnownTools {
  const servers = [...new Set(loaded.servers.map(({ name }) => name))];
  const isAsked = (server: string): boolean => (connection(server)?.catalog.source ?? 'none') !== 'none';
  return { tools: [...tools(), ...builtInTools()], unasked: servers.filter((one) => !isAsked(one)), servers };
}
