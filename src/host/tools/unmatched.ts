import type { HostConfig } from '../../config/load.js';
import type { ServerLifecycle } from '../../connection/server-lifecycle.js';
import { builtInTools } from '../../model/permissions/built-ins.js';
import type { SubjectToolNames } from '../../model/permissions/subject.js';
import { type KnownTools, type UnmatchedRule, unmatchedRules } from '../../model/permissions/unmatched.js';
import { type UnmatchedHook, unmatchedHooks } from '../../model/permissions/unmatched-hooks.js';

/** Rules and hooks that match nothing known. */
export interface Unmatched {
  /** Probably mistyped: such a rule decides nothing. */
  readonly rules: readonly UnmatchedRule[];
  /** Probably mistyped: such a hook never runs. */
  readonly hooks: readonly UnmatchedHook[];
}

export interface KnownParts {
  readonly loaded: Pick<HostConfig, 'servers' | 'permissions' | 'hooks'>;
  /** Tools of servers, and of the embedder. */
  readonly tools: () => readonly SubjectToolNames[];
  readonly server: (server: string) => ServerLifecycle | undefined;
}

/** Rules and hooks that match no known tool. A server that has not listed its tools may have what a rule names. */
export function findUnmatched(parts: KnownParts): Unmatched {
  const { permissions, hooks } = parts.loaded;
  const known = knownIn(parts);
  return { rules: unmatchedRules(permissions, known), hooks: unmatchedHooks(hooks, known) };
}

/** Unmatched rules of this run alone: from flags, or from an embedder's options. */
export function findUnmatchedFlags(parts: KnownParts): readonly UnmatchedRule[] {
  const { permissions } = parts.loaded;
  const rules = permissions.rules.filter(({ source }) => source === 'flag');
  return rules.length === 0 ? [] : unmatchedRules({ ...permissions, rules }, knownIn(parts));
}

function knownIn({ loaded, tools, server: running }: KnownParts): KnownTools {
  const servers = [...new Set(loaded.servers.map(({ name }) => name))];
  const isAsked = (server: string): boolean => (running(server)?.catalog.source ?? 'none') !== 'none';
  return { tools: [...tools(), ...builtInTools()], unasked: servers.filter((one) => !isAsked(one)), servers };
}
