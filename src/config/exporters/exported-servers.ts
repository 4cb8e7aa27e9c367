import { resolve, isAbsolute } from 'node:path';
import { unreachable } from '../../base/never.js';
import { nameWord } from '../../base/shell-word.js';
import { trustCommand, untrustedText } from '../../model/text/untrusted-text.js';
import type { RawEntry } from '../../transports/kind.js';
import { transportKindOf } from '../../transports/kinds.js';
import { unknownServer } from '../edit/manage.js';
import { toAbsoluteEntry } from '../entries/absolute-entry.js';
import type { ConfiguredServer } from '../entries/server.js';
import type { HostConfig } from '../load.js';

/** A server that is not exported, and why. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

export interface ChosenServers {
  readonly servers: readonly ConfiguredServer[];
  readonly leftOut: readonly LeftOut[];
}

/**
 * The servers to export: those of these names, or all that may run. What may not run is exported only by its name, and
 * what a policy forbids not at all. Throws `unknown-server`.
 */
export function chooseExported(loaded: HostConfig, names: readonly string[]): ChosenServers {
  const wanted = names.length > 0 ? names : loaded.servers.map(({ name }) => name);
  const servers: ConfiguredServer[] = [];
  const leftOut: LeftOut[] = [];
  for (const name of new Set(wanted)) {
    const all = loaded.servers.filter((server) => server.name === name);
    const server = all.find(({ standing }) => standing.kind === 'ready') ?? all[0];
    if (!server) throw unknownServer(loaded, name);
    const reason = whyNot(server, names.length > 0);
    if (reason === undefined) servers.push(server);
    else leftOut.push({ name, reason });
  }
  return { servers, leftOut };
}

function whyNot(
  { name, standing, config, written, accountOf }: ConfiguredServer,
  isNamed: boolean,
): string | undefined {
  const byName = `to export it anyway, name it: ${nameWord(name)}`;
  if (accountOf !== undefined) return `it is an account of ${accountOf}, and sign-ins stay here`;
  if (config && transportKindOf(config).origin !== 'anyone') return 'a program serves it, and only here';
  if (standing.kind === 'denied') return `a policy forbids it: ${standing.reason}`;
  if (standing.kind === 'invalid' || !written) return 'its entry is invalid; see plugboard doctor';
  if (isNamed) return undefined;
  switch (standing.kind) {
    case 'ready':
      return undefined;
    case 'disabled':
      return `it is disabled; ${byName}`;
    case 'unapproved':
      return `it comes with this repository, and you have not approved it; ${byName}`;
    case 'untrusted':
      return `it ${untrustedText(standing)} (${trustCommand(standing.folder)}); ${byName}`;
    case 'suppressed':
      return `it is the same server as "${standing.by.name}"`;
    default:
      return unreachable(standing);
  }
}

/** The entry for a file that applies in every folder: relative paths become absolute. */
export function toEverywhere(
  { written, scope }: ConfiguredServer,
  cwd: string,
): { readonly entry: RawEntry; readonly notes: readonly string[] } {
  if (scope === 'user' || scope === 'linked') return { entry: written!, notes: [] };
  const { entry, notes } = toAbsoluteEntry(written!, cwd);
  const { cwd: folder } = entry;
  const isRelative = typeof folder === 'string' && !isAbsolute(folder) && !/^~|\$\{/u.test(folder);
  return {
    entry: isRelative ? { ...entry, cwd: resolve(cwd, folder) } : entry,
    notes:
      notes.length === 0 ? [] : ['its command has a relative path: it starts in the folder where the other host runs'],
  };
}
