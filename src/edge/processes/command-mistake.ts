import { statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { attempt } from '../../base/attempt.js';
import { nearest } from '../../base/nearest.js';
import { fileHead } from '../files/file-head.js';
import { findCommand, type FindCommandOptions } from './find-command.js';

/** Why a command leads to no program that could be started: what whoever wrote it most likely meant. */
export type CommandMistake =
  | { readonly kind: 'url' }
  /** In quotes that a shell would have taken away. */
  | { readonly kind: 'quoted'; readonly inside: string }
  /** `~/bin/x`: what follows the tilde. */
  | { readonly kind: 'home'; readonly rest: string }
  /** A path of Windows on another system; `program` is its last part. */
  | { readonly kind: 'windows-path'; readonly program: string }
  | { readonly kind: 'windows-shell' }
  /** `cd`, `source` and the like, which are no programs. */
  | { readonly kind: 'shell-word' }
  /** `KEY=value` in front of the program. */
  | { readonly kind: 'assignment'; readonly name: string; readonly words: readonly string[] }
  /** A whole command line. */
  | { readonly kind: 'line'; readonly words: readonly string[] }
  | { readonly kind: 'folder' }
  /** A file that may not be run; `runner`: what runs files of its kind, where it says nothing about that itself. */
  | { readonly kind: 'not-executable'; readonly runner?: readonly string[] }
  /** `there`: how much of its path exists. */
  | { readonly kind: 'no-file'; readonly there: string }
  /** A program of this machine has nearly this name. */
  | { readonly kind: 'alike'; readonly program: string }
  | { readonly kind: 'not-installed' };

/** What is wrong with a command that cannot be found or started. Looks at the disk, and never throws. */
export function commandMistake(command: string, where: FindCommandOptions): CommandMistake {
  const find = (name: string): string | undefined => findCommand(name, where);
  const isWindows = where.platform === 'win32';
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(command)) return { kind: 'url' };
  const quoted = /^(["'])(.+)\1$/su.exec(command);
  if (quoted) return { kind: 'quoted', inside: quoted[2]! };
  if (!isWindows && /^(?:[A-Za-z]:[\\/]|\\\\)/u.test(command)) {
    return {
      kind: 'windows-path',
      program: command
        .split(/[\\/]/u)
        .at(-1)!
        .replace(/\.(?:exe|cmd|bat|ps1)$/iu, ''),
    };
  }
  if (!isWindows && /^cmd(?:\.exe)?$/iu.test(command)) return { kind: 'windows-shell' };
  if (SHELL_WORDS.has(command)) return { kind: 'shell-word' };
  const words = splitCommandLine(command);
  const [first = '', ...rest] = words;
  const assigned = /^([A-Za-z_]\w*)=/u.exec(first);
  if (assigned) return { kind: 'assignment', name: assigned[1]!, words: rest };
  // A path with a blank in it is a path, unless its first word alone is a program.
  if (rest.length > 0 && (!/[/\\]/u.test(first) || find(first) !== undefined)) return { kind: 'line', words };
  if (/^~(?=[/\\]|$)/u.test(command)) return { kind: 'home', rest: command.slice(1) };
  if (/[/\\]/u.test(isWindows ? command : command.replaceAll('\\', ''))) {
    return fileMistake(resolve(where.cwd, command));
  }
  const installed = PROGRAMS.filter((name) => name !== command && find(name) !== undefined);
  const stand = STAND_INS[command];
  const alike = stand !== undefined && installed.includes(stand) ? stand : nearest(command, installed)[0];
  return alike === undefined ? { kind: 'not-installed' } : { kind: 'alike', program: alike };
}

const SHELL_WORDS: ReadonlySet<string> = new Set(['cd', 'source', '.', 'export', 'set', 'eval', 'exec', 'alias']);

/** What servers are started with. Only these are compared with a name that is not there. */
const PROGRAMS = 'npx node npm uvx uv python3 python pipx docker podman bunx bun deno pnpm yarn java ruby go'.split(
  ' ',
);

/** One that does the same under another name. */
const STAND_INS: Readonly<Record<string, string>> = { python: 'python3', python3: 'python', docker: 'podman' };

function fileMistake(path: string): CommandMistake {
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }));
  if (stats?.isDirectory() === true) return { kind: 'folder' };
  if (stats === undefined) return { kind: 'no-file', there: existing(path) };
  const hasInterpreter = fileHead(path, 2)?.toString('latin1') === '#!';
  const runner = hasInterpreter ? undefined : RUNNERS[extname(path).toLowerCase()];
  return { kind: 'not-executable', ...(runner && { runner }) };
}

const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  '.js': ['node'],
  '.mjs': ['node'],
  '.cjs': ['node'],
  '.ts': ['npx', '-y', 'tsx'],
  '.py': ['python3'],
  '.rb': ['ruby'],
  '.jar': ['java', '-jar'],
};

/** What to do about it, without repeating anything of it: for errors that are shown where nobody can say what may be shown. */
export function mistakeHint({ kind }: CommandMistake): string {
  return HINTS[kind] ?? 'Install it, or write its full path';
}

const HINTS: Readonly<Partial<Record<CommandMistake['kind'], string>>> = {
  url: 'It is a URL: write it as "url", without a "command"',
  quoted: 'Leave out the quotes inside of "command"',
  'windows-path': 'It is a path of Windows: write the program of this machine',
  'windows-shell': 'cmd is the shell of Windows: write the program itself',
  'shell-word': 'It belongs to a shell: write "command": "bash", "args": ["-c", "..."]',
  assignment: 'Put variables into "env", and the program alone into "command"',
  line: 'Write the program alone into "command", and each word that follows into "args"',
};

/** The nearest folder above a path that is there. */
export function existing(path: string): string {
  let folder = dirname(path);
  while (attempt(() => statSync(folder).isDirectory()) !== true && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** A command line as a shell would cut it, without anything else that a shell does. */
export function splitCommandLine(line: string): string[] {
  return (line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/gu) ?? []).map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/gu, '$1$2'),
  );
}
