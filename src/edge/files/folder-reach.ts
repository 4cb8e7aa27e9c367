import { attempt } from '../../base/attempt.js';
import { realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, normalize } from 'node:path';
import { readBounded } from './read-file.js';

/** A folder whose content another person may have written, and how to recognize a path that leads into it. */
export interface FolderReach {
  /** Every spelling of the folder's path: the real one, and those from --cwd, PWD and INIT_CWD. */
  readonly paths: readonly string[];
  /**
   * Whether the folder is the root, the home folder or above it: then only the folder itself counts as inside, because
   * most files below it are the user's own.
   */
  readonly isWide: boolean;
  /** The working directory and its ancestors, without wide ones: the folders in which tools look for settings. */
  readonly settingsFolders: readonly string[];
}

/** Whether a text contains a path to the folder or into it, in any spelling and through any link. */
export function leadsInto(text: string, reach: FolderReach): boolean {
  if (!text.includes('/') && !text.includes('\\')) return false;
  return text.split(/[\s:;,"'=]+/u).some((word) => {
    const path = pathIn(word);
    return path !== undefined && isInside(path, reach);
  });
}

/** The absolute path in a word: `/x`, `-I/x`, `@/x`; not a relative path, which leads nowhere from another folder. */
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

/** Follows links; for a path that does not exist, those of its ancestors. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), path.slice(above.length));
  }
}

/** The environment without what leads into the folder: single entries of search paths, and other variables whole. */
export function environmentOutside(
  env: Readonly<Record<string, string | undefined>>,
  reach: FolderReach,
): Record<string, string> {
  const npm = isRunByNpm(env) ? isNpmProjectVariable(reach.settingsFolders) : undefined;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || npm?.(name, value) === true) continue;
    if (SEARCH_PATH.test(name)) kept[name] = searchPathOutside(value, reach);
    else if (USER_VARIABLES.has(name) || !leadsInto(value, reach)) kept[name] = value;
  }
  return kept;
}

/** Always kept, because no program runs without them: the variables that name the user and the home folder. */
const USER_VARIABLES: ReadonlySet<string> = new Set(['HOME', 'USER', 'LOGNAME', 'SHELL', 'USERPROFILE', 'USERNAME']);

/** A search path without entries inside the folder, and without the `node_modules/.bin` npm adds per ancestor. */
export function searchPathOutside(value: string, reach: FolderReach): string {
  const added = new Set(reach.settingsFolders.map((level) => join(level, 'node_modules/.bin')));
  return value
    .split(delimiter)
    .filter((entry) => !isAbsolute(entry) || !(isInside(entry, reach) || added.has(withoutSlash(normalize(entry)))))
    .join(delimiter);
}

export const SEARCH_PATH = /path$|^XDG_\w+_DIRS$/iu;

function isRunByNpm(env: Readonly<Record<string, string | undefined>>): boolean {
  return ['npm_execpath', 'npm_command', 'npm_lifecycle_event'].some((name) => env[name] !== undefined);
}

/**
 * Tests for variables that npm made of a project's .npmrc, which it passes to the programs that it runs. The user's own
 * setting with another value is kept.
 */
function isNpmProjectVariable(levels: readonly string[]): (name: string, value: string) => boolean {
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
  // npm may be able to read a file that `readBounded` refuses.
  if (read.kind === 'refused') return isFile(file) ? 'unreadable' : new Map();
  const lines = read.kind === 'text' ? read.text.split(/[\r\n]+/u) : [];
  return new Map(
    lines.flatMap((line): [string, (value: string) => boolean][] => {
      const [, key, said = ''] = /^\s*([^=;#\s[\]]+)(?:\[\])?\s*=?\s*(.*)$/u.exec(line) ?? [];
      if (key === undefined) return [];
      const plain = said.trim().replaceAll(/^["']|["']$/gu, '');
      // npm expands variables in a value, so such a setting matches any value.
      return [
        [settingKey(key), (value) => plain.includes('${') || value === plain || (plain === '' && value === 'true')],
      ];
    }),
  );
}

function isFile(file: string): boolean {
  return attempt(() => statSync(file).isFile(), false); // npm cannot read it either
}

function settingKey(key: string): string {
  return key.toLowerCase().replaceAll('-', '_');
}

const NPMRC_LIMIT = 1_000_000; // bytes; npm itself has no limit
