import { attempt } from '../../base/attempt.js';
import { realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, normalize } from 'node:path';
import { readBounded } from './read-file.js';

/** A folder that somebody else may have filled, and how to recognise a path that leads into it. */
export interface FolderReach {
  /** Every spelling of its path: the real one, and the one that the user came by. */
  readonly paths: readonly string[];
  /** It is the root or holds the home folder: what lies below it is mostly the user's own, and only the folder itself is meant. */
  readonly isWide: boolean;
  /** The working directory and what is above it, as far as it is no wide one: where tools look for settings. */
  readonly levels: readonly string[];
}

/** Whether a text names the folder or something in it, however it is spelled and whatever links it goes by. */
export function leadsInto(text: string, reach: FolderReach): boolean {
  if (!text.includes('/') && !text.includes('\\')) return false;
  return text.split(/[\s:;,"'=]+/u).some((word) => {
    const path = pathIn(word);
    return path !== undefined && isInside(path, reach);
  });
}

/** `/x`, and what stands behind an option: `-I/x`, `@/x`. What has a word before it is relative, and leads nowhere from elsewhere. */
function pathIn(word: string): string | undefined {
  const at = word.search(/[/\\]/u);
  if (at === -1 || !/^(?:-[\w-]*|[^\w./\\-]*|[A-Za-z]:)$/u.test(word.slice(0, at))) return undefined;
  return isAbsolute(word) ? word : word.slice(at);
}

function isInside(path: string, { paths, isWide }: FolderReach): boolean {
  const plain = withoutSlash(normalize(path));
  const real = realPath(plain);
  return paths.some((folder) =>
    [plain, real].some((one) => one === folder || (!isWide && one.startsWith(`${withoutSlash(folder)}/`))),
  );
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/[/\\]+$/u, '') : path;
}

/** Links followed, also of the folders above something that is not there. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), path.slice(above.length));
  }
}

/** The environment without what leads into a folder: entries of search paths one by one, any other variable as a whole. */
export function environmentOutside(
  env: Readonly<Record<string, string | undefined>>,
  reach: FolderReach,
): Record<string, string> {
  const npm = isRunByNpm(env) ? handedOn(reach.levels) : undefined;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || npm?.(name, value) === true) continue;
    if (SEARCH_PATH.test(name)) kept[name] = searchPathOutside(value, reach);
    else if (WHO.has(name) || !leadsInto(value, reach)) kept[name] = value;
  }
  return kept;
}

/** Who the user is, and where at home: no program runs without. */
const WHO: ReadonlySet<string> = new Set(['HOME', 'USER', 'LOGNAME', 'SHELL', 'USERPROFILE', 'USERNAME']);

/** A search path without the entries that lead into a folder, links followed, and without those that npm adds for every folder above. */
export function searchPathOutside(value: string, reach: FolderReach): string {
  const added = new Set(reach.levels.map((level) => join(level, 'node_modules/.bin')));
  return value
    .split(delimiter)
    .filter((entry) => !isAbsolute(entry) || !(isInside(entry, reach) || added.has(withoutSlash(normalize(entry)))))
    .join(delimiter);
}

export const SEARCH_PATH = /path$|^XDG_\w+_DIRS$/iu;

function isRunByNpm(env: Readonly<Record<string, string | undefined>>): boolean {
  return ['npm_execpath', 'npm_command', 'npm_lifecycle_event'].some((name) => env[name] !== undefined);
}

/** npm hands what a project's .npmrc says on to the programs that it runs, as variables. A setting of the user's own with another value stays. */
function handedOn(levels: readonly string[]): (name: string, value: string) => boolean {
  const settings = levels.map(npmSettings);
  return (name, value) => {
    const key = /^npm_config_(.+)$/iu.exec(name)?.[1];
    if (key === undefined) return false;
    return settings.some((one) => one === 'unreadable' || one.get(settingKey(key))?.(value) === true);
  };
}

type NpmSettings = ReadonlyMap<string, (value: string) => boolean>;

function npmSettings(folder: string): NpmSettings | 'unreadable' {
  const file = join(folder, '.npmrc');
  const read = readBounded(file, { limit: NPMRC_LIMIT });
  // npm may be able to read a file that this does not.
  if (read.kind === 'refused') return isFile(file) ? 'unreadable' : new Map();
  const lines = read.kind === 'text' ? read.text.split(/[\r\n]+/u) : [];
  return new Map(
    lines.flatMap((line): [string, (value: string) => boolean][] => {
      const [, key, said = ''] = /^\s*([^=;#\s[\]]+)(?:\[\])?\s*=?\s*(.*)$/u.exec(line) ?? [];
      if (key === undefined) return [];
      const plain = said.trim().replaceAll(/^["']|["']$/gu, '');
      // A variable in it is filled in by npm.
      return [
        [settingKey(key), (value) => plain.includes('${') || value === plain || (plain === '' && value === 'true')],
      ];
    }),
  );
}

function isFile(file: string): boolean {
  return attempt(() => statSync(file).isFile(), false); // not even npm can look at it
}

function settingKey(key: string): string {
  return key.toLowerCase().replaceAll('-', '_');
}

const NPMRC_LIMIT = 1_000_000; // bytes; npm itself reads what is there
