import { HostError } from '../base/errors.js';
import type { ConfigContext } from './context.js';
import { type Edit, editFile } from './edit-file.js';
import { getFromText, setInText } from './edit-text.js';
import { canonicalJson } from './identity.js';
import { describeUnknownHost, findImporter, findImports, type ImportedEntry, type ImportSource } from './import.js';
import { loadConfig } from './load.js';
import { addServer, type EditableScope, fileToWrite, type ManageOptions, refuseLocked } from './manage.js';
import { nameFault } from './names.js';
import type { Problem } from './problem.js';

/** What became of one entry of another host's file. */
export interface TakenEntry {
  readonly name: string;
  readonly host: string;
  readonly from: string;
  readonly scope: EditableScope;
  readonly result: 'added' | 'same' | 'conflict' | 'refused';
  readonly reason?: string;
  readonly lost: readonly string[];
  readonly file?: string;
}

export interface TakeOver extends ManageOptions {
  readonly hosts: readonly string[];
  readonly file?: string;
  /** Where everything goes; otherwise each entry goes where it was: for all projects, or for this one. */
  readonly scope?: EditableScope;
}

/** Copies other hosts' servers into the user's own files. Nothing that is there is overwritten; each loss is named. */
export async function takeOver(
  context: ConfigContext,
  options: TakeOver,
): Promise<{
  readonly taken: readonly TakenEntry[];
  readonly sources: readonly ImportSource[];
  readonly problems: readonly Problem[];
}> {
  refuseUnknown(options.hosts);
  refuseLocked(await loadConfig(context), 'add');
  const sources = await findImports(context, {
    hosts: options.hosts,
    ...(options.file !== undefined && { file: options.file }),
  });
  const taken: TakenEntry[] = [];
  for (const source of sources) {
    for (const entry of source.entries) {
      const earlier = taken.find(({ name, result }) => name === entry.name && result === 'added');
      taken.push(await takeEntry(context, { source, entry, options, earlier }));
    }
  }
  return { taken, sources, problems: sources.flatMap(({ problems }) => problems) };
}

interface TakeEntry {
  readonly source: ImportSource;
  readonly entry: ImportedEntry;
  readonly options: TakeOver;
  /** On a dry run nothing is written, so a second one of the same name would look new. */
  readonly earlier: TakenEntry | undefined;
}

async function takeEntry(context: ConfigContext, { source, entry, options, earlier }: TakeEntry): Promise<TakenEntry> {
  // A repository's file becomes a private copy: importing is the user's own decision, sharing it is not.
  const scope = options.scope ?? (entry.scope === 'user' ? 'user' : 'local');
  const base = { name: entry.name, host: source.host, from: source.file, scope, lost: entry.lost };
  if (earlier && earlier.scope === scope)
    return { ...base, result: 'conflict', reason: `${earlier.host} has one of that name, too` };
  try {
    const edit = await addServer(context, {
      name: entry.name,
      entry: entry.entry,
      scope,
      nameCheck: (name) => nameFault(name, scope)?.message,
      ...(options.dryRun && { dryRun: true }),
    });
    return { ...base, result: 'added', file: edit.file };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    if (error.code === 'write-failed' || error.code === 'lock-timeout') throw error;
    if (error.code !== 'server-exists') return { ...base, result: 'refused', reason: error.message };
    return (await isSame(context, scope, entry))
      ? { ...base, result: 'same' }
      : { ...base, result: 'conflict', reason: error.message };
  }
}

async function isSame(context: ConfigContext, scope: EditableScope, { name, entry }: ImportedEntry): Promise<boolean> {
  const { servers } = await loadConfig(context);
  const known = servers.find((server) => server.name === name && server.scope === scope);
  return known?.written !== undefined && canonicalJson(known.written) === canonicalJson(entry);
}

/** Reads another host's files live from now on: `settings.links` of the user's file. */
export async function linkHosts(
  context: ConfigContext,
  { hosts, file, dryRun }: Omit<TakeOver, 'scope'>,
): Promise<Edit> {
  refuseUnknown(hosts);
  refuseLocked(await loadConfig(context), 'add');
  return editFile(
    fileToWrite(context, 'user'),
    (text) => {
      const links = getFromText(text, ['settings', 'links']);
      const known = Array.isArray(links) ? (links as unknown[]) : [];
      const wanted = hosts.map((host) => ({ host, ...(file !== undefined && { file }) }));
      const isKnown = (link: object): boolean => known.some((other) => canonicalJson(other) === canonicalJson(link));
      const fresh = wanted.filter((link) => !isKnown(link) && !(file === undefined && known.includes(link.host)));
      return fresh.length === 0 ? text : setInText(text, ['settings', 'links'], [...known, ...fresh]);
    },
    { context, ...(dryRun && { dryRun: true }) },
  );
}

function refuseUnknown(hosts: readonly string[]): void {
  for (const host of hosts) {
    if (findImporter(host)) continue;
    const { message, hint } = describeUnknownHost(host);
    throw new HostError('usage', message, { hint });
  }
}
