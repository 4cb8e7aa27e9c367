import { resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';
import { isObject } from '../../base/json.js';
import type { ConfigContext } from '../context.js';
import { type Edit, editFile } from './edit-file.js';
import { getFromText, removeFromText, setInText } from './edit-text.js';
import { canonicalJson } from '../../model/text/canonical-json.js';
import { describeUnknownHost, findImporter, findImports, type ImportedEntry, type ImportSource } from './import.js';
import { type HostConfig, loadHostConfig } from '../load.js';
import {
  checkEntry,
  editableScopes,
  type EditableScope,
  fileToWrite,
  type ManageOptions,
  modeOf,
  refuseLocked,
  withServers,
} from './manage.js';
import { nameFault } from '../entries/names.js';
import type { Problem } from '../problem.js';
import { describeEntry } from '../entries/target.js';

/** The result for one entry of another host's file. */
export interface WrittenImport extends Pick<ImportedEntry, 'name' | 'lost' | 'notes'> {
  readonly host: string;
  readonly from: string;
  readonly scope: EditableScope;
  readonly result: 'added' | 'same' | 'conflict' | 'refused';
  readonly reason?: string;
  /** The command that it starts or the URL that it reaches, masked. */
  readonly target: string;
  readonly file?: string;
}

export interface WrittenImports extends ManageOptions {
  readonly hosts: readonly string[];
  readonly file?: string;
  /** The scope for all entries; default: the entry's own, for all projects or for this one. */
  readonly scope?: EditableScope;
}

/** Copies other hosts' servers into the user's own files. Overwrites nothing; `lost` names each omission. */
export async function writeImports(
  context: ConfigContext,
  options: WrittenImports,
): Promise<{
  readonly taken: readonly WrittenImport[];
  readonly sources: readonly ImportSource[];
  readonly problems: readonly Problem[];
  readonly edits: readonly Edit[];
}> {
  refuseUnknown(options.hosts);
  const loaded = await loadHostConfig(context);
  refuseLocked(loaded, 'add');
  const sources = await findImports(context, {
    hosts: options.hosts,
    ...(options.file !== undefined && { file: options.file }),
  });
  const wanted = sources.flatMap((source) => source.entries.map((entry) => toWanted(source, entry, options)));
  const taken = new Map<Wanted, WrittenImport>();
  for (const one of wanted) {
    const reason = refusalOf(one, { loaded, options });
    if (reason !== undefined) taken.set(one, { ...one.base, result: 'refused', reason });
  }
  // A dry run of all files comes first, so that an import is done completely or not at all.
  const edits = await editAll(context, taken, { wanted, dryRun: true });
  if (options.dryRun !== true) await editAll(context, taken, { wanted, dryRun: false });
  return {
    taken: wanted.map((one) => taken.get(one)!),
    sources,
    edits,
    problems: sources.flatMap(({ problems }) => problems),
  };
}

/** One edit per file, so that the kept previous version is the one from before the import. */
async function editAll(
  context: ConfigContext,
  taken: Map<Wanted, WrittenImport>,
  { wanted, dryRun }: { readonly wanted: readonly Wanted[]; readonly dryRun: boolean },
): Promise<Edit[]> {
  const edits: Edit[] = [];
  for (const scope of editableScopes) {
    const here = wanted.filter((one) => one.base.scope === scope && taken.get(one)?.result !== 'refused');
    if (here.length === 0) continue;
    const change = (text: string): string => addAll(text, here, { context, scope, taken });
    const edit = await editFile(fileToWrite(context, scope), change, { context, mode: modeOf(scope), dryRun });
    if (edit.changed) edits.push(edit);
  }
  return edits;
}

interface Wanted {
  readonly entry: ImportedEntry;
  readonly base: Omit<WrittenImport, 'result' | 'reason' | 'file'>;
}

function toWanted(source: ImportSource, entry: ImportedEntry, options: WrittenImports): Wanted {
  // A repository's entry becomes a private copy: the user decides to import it, not to share it.
  const scope = options.scope ?? (entry.scope === 'user' ? 'user' : 'local');
  if (isObject(entry.entry) && entry.entry['trust'] !== undefined) {
    const { trust: _, ...rest } = entry.entry;
    const lost = [...entry.lost, '"trust" is left out: Plugboard does not import what may run without asking'];
    return toWanted(source, { ...entry, entry: rest, lost }, options);
  }
  return {
    entry,
    base: {
      name: entry.name,
      host: source.host,
      from: source.file,
      scope,
      lost: entry.lost,
      notes: entry.notes,
      target: describeEntry(entry.entry),
    },
  };
}

/** Why an entry cannot be imported, regardless of the target file. */
function refusalOf(
  { entry, base }: Wanted,
  { loaded, options }: { readonly loaded: HostConfig; readonly options: WrittenImports },
): string | undefined {
  // A repository must not bypass approval by placing files where another host keeps its own.
  if (entry.scope === 'project' && options.file === undefined) {
    return `it comes from this repository; review it, then: plugboard import ${base.host} --file ${shellWord(base.from)}`;
  }
  const fault = nameFault(base.name, base.scope);
  if (fault) return fault.message;
  try {
    checkEntry(base.name, entry.entry, loaded);
    return undefined;
  } catch (error) {
    if (error instanceof HostError) return error.message;
    throw error;
  }
}

interface AddAll {
  readonly context: ConfigContext;
  readonly scope: EditableScope;
  readonly taken: Map<Wanted, WrittenImport>;
}

function addAll(text: string, wanted: readonly Wanted[], { context, scope, taken }: AddAll): string {
  const file = fileToWrite(context, scope);
  const servers = getFromText(text, ['mcpServers']);
  const known = new Map<string, unknown>(Object.entries(isObject(servers) ? servers : {}));
  const added = new Map<string, Wanted>();
  for (const one of wanted) {
    const { name } = one.base;
    const isThere = known.has(name) || added.has(name);
    const there = known.has(name) ? known.get(name) : added.get(name)?.entry.entry;
    if (!isThere) {
      added.set(name, one);
      taken.set(one, { ...one.base, result: 'added', file });
    } else if (plainJson(there) === plainJson(one.entry.entry)) taken.set(one, { ...one.base, result: 'same' });
    else {
      const whose = added.get(name)?.base.host ?? `${scope} config`;
      taken.set(one, { ...one.base, result: 'conflict', reason: `${whose} has another server of that name` });
    }
  }
  return withServers(text, { context, scope, servers: [...added].map(([name, { entry }]) => [name, entry.entry]) });
}

/** The entry in a normal form: for some hosts a missing field means the same as an empty one for others. */
export function plainJson(value: unknown): string {
  if (!isObject(value)) return canonicalJson(value);
  const { type, args, env, headers, ...rest } = value;
  const kept = Object.entries({ args, env, headers }).filter(
    ([, part]) => part !== undefined && canonicalJson(part).length > 2,
  );
  const kind = type ?? (rest['url'] === undefined ? 'stdio' : 'http');
  return canonicalJson({ ...rest, ...Object.fromEntries(kept), type: kind });
}

/** Reads other hosts' files live from now on: adds them to `settings.links` of the user's file. */
export async function linkHosts(
  context: ConfigContext,
  { hosts, file, dryRun }: Omit<WrittenImports, 'scope'>,
): Promise<Edit> {
  refuseUnknown(hosts);
  refuseLocked(await loadHostConfig(context), 'add');
  const change = (text: string): string => {
    const found = getFromText(text, LINKS);
    const links = found === undefined ? [] : found;
    if (!Array.isArray(links)) {
      throw new HostError('config-invalid', 'settings.links is not an array, so Plugboard cannot add anything to it');
    }
    // Relative to the working directory, not to the settings file.
    const path = file === undefined ? undefined : resolve(context.cwd, file);
    const wanted = hosts.map((host) => ({ host, ...(path !== undefined && { file: path }) }));
    const isKnown = (link: object): boolean => links.some((other) => canonicalJson(other) === canonicalJson(link));
    const fresh = wanted.filter((link) => !isKnown(link) && !(file === undefined && links.includes(link.host)));
    return fresh.length === 0 ? text : setInText(text, LINKS, [...(links as unknown[]), ...fresh]);
  };
  return editFile(fileToWrite(context, 'user'), change, { context, ...(dryRun && { dryRun }) });
}

/** Removes these hosts from `settings.links`: their files are no longer read live. */
export async function unlinkHosts(
  context: ConfigContext,
  { hosts, dryRun }: Pick<WrittenImports, 'hosts' | 'dryRun'>,
): Promise<Edit> {
  refuseUnknown(hosts);
  const isOther = (link: unknown): boolean => !hosts.includes(isObject(link) ? String(link['host']) : String(link));
  const change = (text: string): string => {
    const links = getFromText(text, LINKS);
    const kept = Array.isArray(links) ? links.filter(isOther) : [];
    if (!Array.isArray(links) || kept.length === links.length) return text;
    return kept.length === 0 ? removeFromText(text, LINKS) : setInText(text, LINKS, kept);
  };
  return editFile(fileToWrite(context, 'user'), change, { context, ...(dryRun && { dryRun }) });
}

const LINKS = ['settings', 'links'];

function refuseUnknown(hosts: readonly string[]): void {
  for (const host of hosts) {
    if (findImporter(host)) continue;
    const { message, hint } = describeUnknownHost(host);
    throw new HostError('usage', message, { hint });
  }
}
