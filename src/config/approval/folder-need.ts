import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { isObject } from '../../base/json.js';
import { type FolderReach, leadsInto, SEARCH_PATH, searchPathOutside } from '../../edge/files/folder-reach.js';
import type { RawEntry } from '../../transports/kind.js';

export interface FolderNeed {
  readonly cwd: string;
  readonly reach: FolderReach;
}

/**
 * Why an entry needs the working directory, as part of a sentence; undefined when it means the same in every folder. An
 * absolute path is the user's own choice and needs nothing; a variable that leads into the folder does.
 */
export function folderNeedOf(written: RawEntry, expanded: RawEntry, need: FolderNeed): string | undefined {
  const { command, cwd, args, headersHelper, sandbox } = expanded;
  if (typeof command === 'string') {
    if (/[/\\]/u.test(command) && !isAbsolute(command)) return `its command is "${command}"`;
    if (isLedInto(written['command'], command, need)) return `a variable in its command leads to ${command}`;
    if (typeof cwd === 'string' && !isAbsolute(cwd)) return `its cwd is "${cwd}"`;
    if (isLedInto(written['cwd'], cwd, need)) return `a variable in its cwd leads to ${String(cwd)}`;
  }
  const words = Array.isArray(args) ? args : [];
  const writtenWords = Array.isArray(written['args']) ? written['args'] : [];
  for (const [at, word] of words.entries()) {
    if (typeof word !== 'string') continue;
    if (meansFolder(word, need.cwd)) return `its argument "${word}" means the working directory, or a file in it`;
    if (isLedInto(writtenWords[at], word, need)) return `a variable in its arguments leads to ${word}`;
  }
  const writtenEnv = isObject(written['env']) ? written['env'] : {};
  for (const [name, value] of Object.entries(isObject(expanded['env']) ? expanded['env'] : {})) {
    if (typeof value !== 'string') continue;
    if (RELATIVE.test(value)) return `its ${name} is "${value}"`;
    if (isFileInside(name, value, { written: writtenEnv[name], need }))
      return `a variable in its ${name} leads to ${value}`;
  }
  for (const field of ['read', 'write']) {
    const paths: unknown = isObject(sandbox) ? sandbox[field] : undefined;
    const relative = Array.isArray(paths)
      ? paths.find((path) => typeof path === 'string' && !isAbsolute(path) && !path.startsWith('~'))
      : undefined;
    if (relative !== undefined) return `its sandbox.${field} names "${String(relative)}"`;
  }
  if (typeof headersHelper !== 'string') return undefined;
  const why = commandNeedOf(headersHelper);
  return why && `its headersHelper ${why}`;
}

/**
 * Why a shell command needs the working directory, as the rest of a sentence. Only words written as paths count: a file
 * that anyone can put into the folder must not keep a command of the user from running.
 */
export function commandNeedOf(line: string): string | undefined {
  const variable = PROJECT_VARIABLE.exec(line)?.[0];
  if (variable !== undefined) return `uses ${variable}`;
  const words = line.slice(0, LINE_LIMIT).split(/[\s<>"';|&()`]+/u);
  const needy = words.find((word) => RELATIVE.test(word));
  return needy === undefined ? undefined : `names "${needy}", which is in this folder`;
}

const PROJECT_VARIABLE = /\$\{?(?:(?:CLAUDE|PLUGBOARD)_PROJECT_DIR|PWD)\b|\bpwd\b/u;
const LINE_LIMIT = 100_000;

/** `.`, `./x`, `--from=../x`, `file:./x`, or the name of something that exists in the folder. */
function meansFolder(word: string, cwd: string): boolean {
  if (RELATIVE.test(word)) return true;
  const value = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
  if (value === '' || value.startsWith('-') || isAbsolute(value)) return false;
  return isThere(value, cwd);
}

const RELATIVE = /(?:^|[=:,@])\.{1,2}(?:[/\\:]|$)/u;

/** Whether a file exists there, or a folder named by a path; a scoped package (`@a/b`) only looks like a path. */
function isThere(value: string, cwd: string): boolean {
  if (value.length > PATH_LIMIT || value.includes('\0')) return false;
  try {
    const found = statSync(resolve(cwd, value), { throwIfNoEntry: false });
    return found?.isFile() === true || (found?.isDirectory() === true && /^[^@].*[/\\]/u.test(value));
  } catch {
    return false; // not a path, or not readable
  }
}

const PATH_LIMIT = 4096;

/** Whether a variable names something inside the folder, to be read. The folder itself may only be information. */
function isFileInside(name: string, value: string, { written, need }: { written: unknown; need: FolderNeed }): boolean {
  if (SEARCH_PATH.test(name) || LOADER.test(name) || need.reach.paths.includes(value)) return false;
  return isLedInto(written, value, need);
}

function isLedInto(written: unknown, expanded: unknown, { reach }: FolderNeed): boolean {
  return typeof expanded === 'string' && written !== expanded && leadsInto(expanded, reach);
}

/** The entry without search paths and loader settings that variables of this machine lead into the folder. */
export function withoutFolder(written: RawEntry, expanded: RawEntry, reach: FolderReach): RawEntry {
  const { env } = expanded;
  const before = isObject(written['env']) ? written['env'] : {};
  if (!isObject(env)) return expanded;
  const kept = Object.entries(env).flatMap(([name, value]): [string, unknown][] => {
    if (typeof value !== 'string' || value === before[name] || !leadsInto(value, reach)) return [[name, value]];
    if (SEARCH_PATH.test(name)) return [[name, searchPathOutside(value, reach)]];
    return LOADER.test(name) ? [] : [[name, value]];
  });
  return { ...expanded, env: Object.fromEntries(kept) };
}

/** Variables by which programs load code or settings. Any other may name the project for the server's own use. */
const LOADER =
  /^(?:npm_|NODE_|PYTHON|UV_|PIP_|BUN_|DENO_|LD_|DYLD_|RUBY|PERL|GEM_|BUNDLE_|JAVA_|JDK_|GIT_|YARN_|PNPM_|COREPACK_|BASH_ENV$|ENV$|ZDOTDIR$|SHELL$|HOME$|XDG_)/iu;
