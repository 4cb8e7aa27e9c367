import { basename, extname, resolve } from 'node:path';
import { nearest } from '../../base/nearest.js';
import { ancestorsOf, workTreeOf } from '../../edge/directories.js';
import { readBounded } from '../../edge/files/read-file.js';
import { isObject } from '../../base/json.js';
import type { RawEntry } from '../../transports/kind.js';
import type { ConfigContext } from '../context.js';
import { type JsonDocument, type JsonPath, readDocument } from '../document.js';
import { limitOf, parseForeign } from '../importers/foreign-document.js';
import type {
  ForeignEntry,
  ForeignFormat,
  Importer,
  ImportFile,
  ImportWhere,
  ImportProblem,
} from '../importers/importer.js';
import { placesOfPaths } from '../importers/path-places.js';
import { importers } from '../importers/all.js';
import { quote } from '../importers/mapping.js';
import { type Problem, toFieldPath } from '../problem.js';
import { placeFields } from '../text-place.js';
import type { ScopeReader } from '../scope.js';

/** The servers of one file of another host. */
export interface ImportSource {
  readonly host: string;
  readonly title: string;
  readonly file: string;
  readonly level: ImportFile['level'];
  readonly entries: readonly ImportedEntry[];
  readonly problems: readonly Problem[];
}

export interface ImportedEntry extends Omit<ReturnType<Importer['toEntry']>, 'entry'> {
  readonly name: string;
  /** The entry in our own format, not validated yet. */
  readonly entry: unknown;
  readonly path: JsonPath;
  readonly line?: number;
  readonly scope: 'user' | 'local' | 'project';
  /** The other host has disabled the server in this project alone. */
  readonly offHere?: boolean;
}

export interface ImportOptions {
  readonly hosts?: readonly string[];
  /** Read this file instead of the host's own places. */
  readonly file?: string;
}

/** Every existing file of other hosts. Never throws: errors are problems of the file. */
export async function findImports(
  context: ConfigContext,
  options: ImportOptions = {},
): Promise<readonly ImportSource[]> {
  const where = toImportWhere(context);
  const file = options.file === undefined ? undefined : resolve(context.cwd, options.file);
  if (file !== undefined && options.hosts === undefined) return findOwner(file, where);
  const sources = await Promise.all(
    (options.hosts?.map((host) => findImporter(host) ?? host) ?? importers).map(async (importer) => {
      if (typeof importer === 'string') return [unknownSource(importer)];
      return file === undefined ? readAll(importer, filesOf(importer, where), where) : readNamed(importer, file, where);
    }),
  );
  return sources.flat();
}

/** Reads a file as that of the first host that finds servers in it, hosts whose files have that name first. */
async function findOwner(file: string, where: ImportWhere): Promise<readonly ImportSource[]> {
  const format = formats[extname(file)] ?? 'json';
  const alike = importers.filter((importer) =>
    importer.files(where).some(({ path }) => basename(path) === basename(file)),
  );
  const candidates = new Set([...alike, ...importers.filter((importer) => importer.format === format)]);
  let first: readonly ImportSource[] | undefined;
  for (const importer of candidates) {
    const found = await readNamed(importer, file, where);
    if (found.some(({ entries }) => entries.length > 0)) return found;
    first ??= found;
  }
  return first ?? [];
}

const formats: Readonly<Record<string, ForeignFormat>> = { '.toml': 'toml', '.yaml': 'yaml', '.yml': 'yaml' };

export function findImporter(host: string): Importer | undefined {
  return importers.find((importer) => importer.host === host);
}

export function describeUnknownHost(host: string): { readonly message: string; readonly hint: string } {
  const names = importers.map((importer) => importer.host);
  const [close] = nearest(host, names);
  return {
    message: `"${host.slice(0, 60)}" is not a host that Plugboard knows`,
    hint: close === undefined ? `Write one of ${names.join(', ')}` : `Did you mean "${close}"?`,
  };
}

export function toImportWhere({ places, env, platform, cwd, projectRoot }: ConfigContext): ImportWhere {
  // A real path, because it is compared with the working directory, which is one.
  const home = places.home === undefined ? undefined : ancestorsOf(places.home).cwd;
  return { home, env, platform, cwd, projectRoot };
}

/** The files of a host, each once. If a variable leads into the project, the file counts as the project's. */
export function filesOf(importer: Importer, where: ImportWhere): readonly ImportFile[] {
  const files = new Map<string, ImportFile>();
  for (const file of importer.files(where)) {
    if (!files.has(file.path) || file.level === 'project') files.set(file.path, file);
  }
  return [...files.values()];
}

/** Reads a file of another host: through a scope's reader, which also watches it, or directly from disk. */
export type ForeignReader = Pick<ScopeReader, 'read' | 'readText'>;

export interface ImportReading {
  readonly source: ImportSource;
  /** Undefined when the file could not be parsed. */
  readonly document?: JsonDocument;
}

/** One file of one host; undefined when it does not exist. Never throws. */
export async function readImportFile(
  importer: Importer,
  file: ImportFile,
  { where, reader = disk }: { readonly where: ImportWhere; readonly reader?: ForeignReader },
): Promise<ImportReading | undefined> {
  const { path, level } = file;
  const limit = limitOf(importer.format, level);
  const reading =
    importer.format === 'json'
      ? await reader.read(path, { limit })
      : await parseForeign(reader.readText(path, { limit }), path, importer.format);
  if (reading.kind === 'absent') return undefined;
  const about = { host: importer.host, title: importer.title, file: path, level };
  if (reading.kind === 'broken') return { source: { ...about, entries: [], problems: [reading.problem] } };
  const { document } = reading;
  const found = importer.parseFile(document.value, where);
  const entries = found.entries.map((entry) => toImported(entry, { importer, level, file: document.value }));
  const problems = [...reading.problems, ...(await toProblems(found.remarks, { importer, document }))];
  return { source: { ...about, entries, problems }, document };
}

const disk: ForeignReader = { read: readDocument, readText: readBounded };

function toImported(
  { name, raw, path, local, off, tools, notes: beside = [] }: ForeignEntry,
  {
    importer,
    level,
    file,
  }: { readonly importer: Importer; readonly level: ImportFile['level']; readonly file: RawEntry },
): ImportedEntry {
  const scope = level === 'project' ? level : local === true ? 'local' : 'user';
  if (!isObject(raw)) return { name, entry: raw, lost: [], notes: [], kept: [], path, scope };
  const { entry, lost, notes, kept } = importer.toEntry(raw, file);
  const isOff = off === 'everywhere' || (off === 'here' && scope === 'local');
  return {
    name,
    entry: { ...entry, ...tools, ...(isOff && { disabled: true }) },
    lost,
    notes: [...notes, ...beside],
    kept,
    path,
    scope,
    ...(off === 'here' && !isOff && { offHere: true }),
  };
}

interface Parsed {
  readonly importer: Importer;
  readonly document: JsonDocument;
}

async function toProblems(
  remarks: readonly ImportProblem[],
  { importer, document }: Parsed,
): Promise<readonly Problem[]> {
  const places = await placesIn(
    { importer, document },
    remarks.map(({ path }) => path),
  );
  return remarks.map(({ severity, path, message, hint }, index): Problem => {
    const code = severity === 'error' ? 'malformed' : 'ignored-field';
    const place = { file: document.file, ...placeFields(places[index]), field: toFieldPath(path) };
    return { severity, code, ...place, message, hint };
  });
}

/** The places of fields, for JSON only: the other parsers give none. */
async function placesIn({ importer, document }: Parsed, paths: readonly JsonPath[]): ReturnType<typeof placesOfPaths> {
  return importer.format === 'json' ? placesOfPaths(document.text, paths) : [];
}

async function readAll(
  importer: Importer,
  files: readonly ImportFile[],
  where: ImportWhere,
): Promise<readonly ImportSource[]> {
  const sources: ImportSource[] = [];
  for (const file of files) {
    const reading = await readImportFile(importer, file, { where });
    if (reading) sources.push(await describe(importer, reading));
  }
  return sources;
}

async function readNamed(importer: Importer, file: string, where: ImportWhere): Promise<readonly ImportSource[]> {
  const found = await readAll(importer, [{ path: file, level: levelOf(importer, file, where) }], where);
  if (found.length > 0) return found;
  const { host, title } = importer;
  const problem: Problem = {
    severity: 'error',
    code: 'unreadable',
    file,
    message: 'does not exist',
    hint: 'Check the path',
  };
  return [{ host, title, file, level: 'user', entries: [], problems: [problem] }];
}

/**
 * Whether a file belongs to the user or to a project. A file in any repository changes with the next pull, so it is the
 * project's, even if a host's own file is a link to it. A home folder under git still belongs to the user.
 */
export function levelOf(importer: Importer, file: string, where: ImportWhere): ImportFile['level'] {
  const known = filesOf(importer, where).find(({ path }) => path === file);
  if (known?.level === 'project') return 'project';
  const tree = workTreeOf(file);
  return tree === undefined || tree === where.home ? 'user' : 'project';
}

/** Adds lines, and notes that the user should read before the entries are written to a file. */
async function describe(importer: Importer, { source, document }: ImportReading): Promise<ImportSource> {
  const paths = source.entries.map(({ path }) => path);
  const places = document ? await placesIn({ importer, document }, paths) : [];
  const entries = source.entries.map((entry, index): ImportedEntry => {
    const line = places[index]?.line;
    const off = entry.offHere === true ? [`${source.title} disables it in this project: run plugboard disable`] : [];
    const unused = entry.kept.map((field) => `${quote(field)} is kept, but ignored`);
    return { ...entry, notes: [...entry.notes, ...off, ...unused], ...(line !== undefined && { line }) };
  });
  return { ...source, entries };
}

function unknownSource(host: string): ImportSource {
  const problem: Problem = { severity: 'error', code: 'bad-argument', file: host, ...describeUnknownHost(host) };
  return { host, title: host, file: host, level: 'user', entries: [], problems: [problem] };
}
