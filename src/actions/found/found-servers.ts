import type { ConfigContext } from '../../config/context.js';
import type { ImportSource } from '../../config/edit/import.js';
import type { HostConfig } from '../../config/load.js';
import { showLine } from '../../model/show.js';

/** Scripts compare with this line. */
export const UNCONFIGURED =
  'No MCP servers configured. Use `plugboard add` to add a server, or `plugboard import` to import those of another host.';

/** What the files of other hosts on this machine hold. Nothing of it is used unless the user says so. */
export interface FoundServers {
  /** The files that have servers. */
  readonly sources: readonly ImportSource[];
  /** The titles of hosts with a file that could not be read. */
  readonly unread: readonly string[];
}

/**
 * Whether a user without servers is to hear about those of other hosts. Not where this run is to use nothing but its
 * own servers, where an administrator decides about servers, or where the user's own files are broken.
 */
export function isUnconfigured({ servers, problems, lock, context }: HostConfig): boolean {
  const isBroken = problems.some(({ severity }) => severity === 'error');
  return servers.length === 0 && !isBroken && lock === undefined && context.options.strict !== true;
}

/** Reads the files of other hosts; starts, links and imports nothing. Never rejects: a broken file is only named. */
export async function findServers(config: ConfigContext): Promise<FoundServers> {
  const { findImports } = await import('../../config/edit/import.js');
  const found = await findImports(config);
  return {
    sources: found.filter(({ entries }) => entries.length > 0),
    unread: [...new Set(found.filter(isUnread).map(({ title }) => title))],
  };
}

/** For `list --json`. */
export function foundJson({ sources }: FoundServers): readonly object[] {
  return sources.map(({ host, file, entries }) => ({ host, file, servers: entries.map(({ name }) => name) }));
}

/** One line: how many servers, and whose; undefined where there are none. A name that several hosts have counts once. */
export function foundText({ sources }: FoundServers): string | undefined {
  if (sources.length === 0) return undefined;
  const count = namesOf(sources).size;
  const own = namesOf(sources.filter(({ level }) => level === 'user'));
  const shared = [...namesOf(sources)].filter((name) => !own.has(name)).length;
  const titles = joined([...new Set(sources.map(({ title }) => title))]);
  const whose = shared === 0 ? '' : `; ${shared} of them only in files of this repository`;
  return showLine(`Found ${countServers(count)} in ${titles}${whose}`);
}

/** The lines below "No MCP servers configured": what was found, and the commands that use it. */
export function foundLines(found: FoundServers): readonly string[] {
  const text = foundText(found);
  const isOwn = found.sources.some(({ level }) => level === 'user');
  return [
    ...(text === undefined
      ? ['To see how it works, without a key and a server of yours: plugboard demo']
      : [
          text,
          '  plugboard import --all --link   use them: their files are read live',
          ...(isOwn ? ['  plugboard import --all          copy them'] : []),
          '  plugboard import                only list them',
        ]),
    ...found.unread.map((title) => `A file of ${title} could not be read: plugboard import shows why`),
  ];
}

function namesOf(sources: readonly ImportSource[]): ReadonlySet<string> {
  return new Set(sources.flatMap(({ entries }) => entries.map(({ name }) => name)));
}

function isUnread({ entries, problems }: ImportSource): boolean {
  return entries.length === 0 && problems.some(({ severity }) => severity === 'error');
}

export function countServers(count: number): string {
  return count === 1 ? '1 server' : `${count} servers`;
}

function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
