import { shellWord } from '../base/shell-word.js';
import { whyUntrusted } from '../edge/files/ownership.js';
import { isObject } from '../base/json.js';
import {
  describeUnknownHost,
  filesOf,
  findImporter,
  type ImportedEntry,
  type ImportReading,
  levelOf,
  readImportFile,
  toImportWhere,
} from './edit/import.js';
import { isInside } from './importers/places.js';
import type { Importer, ImportFile, ImportWhere } from './importers/importer.js';
import type { Problem } from './problem.js';
import type { LinkedFile, ScopeReader, ScopeReading, ConfigSource, WrittenEntry } from './scope.js';
import { userFile } from './scopes/user.js';
import { joinReadings } from './entries/servers.js';

/** The servers of every file in settings.links. Never throws: errors are problems of the file. */
export async function readLinks(reader: ScopeReader): Promise<ScopeReading> {
  const where = toImportWhere(reader.context);
  const readings: ScopeReading[] = [];
  const seen = new Set<string>();
  for (const [index, link] of reader.settings.links.entries()) {
    const importer = findImporter(link.host);
    if (!importer) readings.push({ sources: [], problems: [unknownHost(link, index, reader)] });
    for (const file of importer ? linkedFiles(importer, link, where) : []) {
      const id = `${link.host} ${file.path}`;
      if (seen.has(id)) continue;
      seen.add(id);
      readings.push(await readLinked(importer!, file, { link, where, reader }));
    }
  }
  return joinReadings(readings);
}

/** Project files come before user files, as in our own scopes. */
function linkedFiles(importer: Importer, { file }: LinkedFile, where: ImportWhere): readonly ImportFile[] {
  if (file !== undefined) return [{ path: file, level: levelOf(importer, file, where) }];
  const files = filesOf(importer, where);
  return [...files.filter(({ level }) => level === 'project'), ...files.filter(({ level }) => level === 'user')];
}

async function readLinked(
  importer: Importer,
  file: ImportFile,
  { link, where, reader }: { readonly link: LinkedFile; readonly where: ImportWhere; readonly reader: ScopeReader },
): Promise<ScopeReading> {
  const reading = await readImportFile(importer, file, { where, reader });
  if (!reading) return { sources: [], problems: link.file === undefined ? [] : [missingFile(file.path)] };
  // The user knows the working directory; files above it may belong to anyone.
  const isAbove = file.level === 'project' && !isInside(file.path, where.cwd, where);
  const distrust = isAbove ? whyUntrusted(file.path) : undefined;
  if (distrust !== undefined) {
    const hint = `Take the file over: chown "$USER" ${shellWord(file.path)}`;
    const message = `is ignored: ${distrust}`;
    return { sources: [], problems: [{ severity: 'warning', code: 'ignored-file', file: file.path, message, hint }] };
  }
  const { entries, problems } = reading.source;
  // A server for this project alone shadows one of the same name for all projects in the same file.
  const groups = [entries.filter(({ scope }) => scope === 'local'), entries.filter(({ scope }) => scope !== 'local')];
  return {
    sources: groups.filter((group) => group.length > 0).map((group) => toSource(group, reading)),
    problems: [...problems, ...entries.flatMap((entry) => lostIn(entry, file.path))],
  };
}

function toSource(entries: readonly ImportedEntry[], { source, document }: ImportReading): ConfigSource {
  return {
    scope: 'linked',
    origin: source.file,
    author: source.level === 'project' ? 'repository' : 'user',
    entries: entries.map(toWritten),
    hasVariables: true, // in the host's syntax, which the importer has translated
    placeOf: async (path) => document?.placeOf(path),
  };
}

function toWritten({ name, entry, path, offHere }: ImportedEntry): WrittenEntry {
  return { name, raw: offHere === true && isObject(entry) ? { ...entry, disabled: true } : entry, path };
}

/** Fields that are kept but not used are reported by validation. */
function lostIn({ name, lost }: ImportedEntry, file: string): readonly Problem[] {
  const hint = 'Import the server to change it here: plugboard import';
  return lost.map((message) => ({ severity: 'warning', code: 'ignored-field', file, server: name, message, hint }));
}

function missingFile(file: string): Problem {
  const hint = 'Correct or remove it in "links" of your settings';
  return { severity: 'warning', code: 'unreadable', file, message: 'is linked, but does not exist', hint };
}

function unknownHost({ host }: LinkedFile, index: number, { context }: ScopeReader): Problem {
  const file = userFile(context) ?? 'settings';
  return {
    severity: 'error',
    code: 'odd-value',
    file,
    field: `settings.links[${index}].host`,
    ...describeUnknownHost(host),
  };
}
