import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { readBounded } from './read-file.js';

/** A folder that somebody else may have filled, and how to recognise a path that leads into it. */
export interface FolderReach {
  /** Every spelling of its path: the real one, and the one that the user came by. */
  readonly paths: readonly string[];
  /** It is the root or holds the home folder: what lies below it is mostly the user's own, and only the folder itself is meant. */
  readonly isWide: boolean;
  /** The folders from the working directory up to the folder: where tools look for settings. */
  readonly levels: readonly string[];
}

/** Whether a text names the folder or something in it. */
export function leadsInto(text: string, { paths, isWide }: FolderReach): boolean {
  return paths.some((path) => names(text, path, isWide));
}

function names(text: string, path: string, isWide: boolean): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    if (isBeginning(text, at) && isEnd(text.slice(at + path.length), isWide)) return true;
  }
  return false;
}

/** `/repo` is not meant by `/home/me/repo`, but by `--require=/repo` and `file:///repo`. */
function isBeginning(text: string, at: number): boolean {
  return at === 0 || text.slice(0, at).endsWith('://') || !/[\w.~/\\-]$/u.test(text.slice(0, at));
}

function isEnd(rest: string, isWide: boolean): boolean {
  return isWide ? /^[/\\]*(?:$|[:;,\s"'])/u.test(rest) : !/^[\w.~-]/u.test(rest);
}

/** The environment without what leads into a folder: entries of search paths one by one, any other variable as a whole. */
export function environmentOutside(
  env: Readonly<Record<string, string | undefined>>,
  reach: FolderReach,
): Record<string, string> {
  const npm = new Set(reach.levels.flatMap(npmSettings));
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || setsNpm(name, npm)) continue;
    if (SEARCH_PATH.test(name)) kept[name] = searchPathOutside(value, reach);
    else if (!leadsInto(value, reach)) kept[name] = value;
  }
  return kept;
}

/** A search path without the entries that lead into a folder, links followed. */
export function searchPathOutside(value: string, reach: FolderReach): string {
  return value
    .split(delimiter)
    .filter((entry) => !leadsInto(entry, reach) && !leadsInto(realPath(entry), reach))
    .join(delimiter);
}

export const SEARCH_PATH = /path$|^XDG_\w+_DIRS$/iu;

function realPath(entry: string): string {
  try {
    return isAbsolute(entry) ? realpathSync.native(entry) : entry;
  } catch {
    return entry; // it is not there: nothing is found in it
  }
}

/** npm hands what a project's .npmrc says on to the programs that it runs, as variables. */
function setsNpm(name: string, settings: ReadonlySet<string>): boolean {
  const setting = /^npm_config_(.+)$/iu.exec(name)?.[1];
  return setting !== undefined && (settings.has(ANY) || settings.has(settingKey(setting)));
}

function npmSettings(folder: string): readonly string[] {
  const read = readBounded(join(folder, '.npmrc'), { limit: NPMRC_LIMIT });
  if (read.kind === 'absent') return [];
  if (read.kind === 'refused') return [ANY]; // npm may be able to read what this does not
  return read.text.split(/[\r\n]+/u).flatMap((line) => {
    const key = /^\s*([^=;#\s[\]]+)/u.exec(line)?.[1];
    return key === undefined ? [] : [settingKey(key)];
  });
}

function settingKey(key: string): string {
  return key.toLowerCase().replaceAll('-', '_');
}

const ANY = '*';
const NPMRC_LIMIT = 1_000_000; // bytes; npm itself reads what is there
