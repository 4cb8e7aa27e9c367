import { statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { attempt } from '../../base/attempt.js';
import { nearest } from '../../base/nearest.js';
import { fileHead } from '../files/file-head.js';
import { findCommand, type FindCommandOptions } from './find-command.js';

/** Why a command cannot be started: what its author most likely meant. */
export type CommandMistake =
  | { readonly kind: 'url' }
  /** In quotes, which no shell removes here. */
  | { readonly kind: 'quoted'; readonly inside: string }
  /** `~/bin/x`; `rest` is the part after the tilde. */
  | { readonly kind: 'home'; readonly rest: string }
  /** A Windows path on another system; `program` is its last part. */
  | { readonly kind: 'windows-path'; readonly program: string }
  | { readonly kind: 'windows-shell' }
  /** `cd`, `source` and other shell builtins, which are no programs. */
  | { readonly kind: 'shell-word' }
  /** `KEY=value` before the program. */
  | { readonly kind: 'assignment'; readonly name: string; readonly words: readonly string[] }
  /** A whole command line. */
  | { readonly kind: 'line'; readonly words: readonly string[] }
  | { readonly kind: 'folder' }
  /** A file without execute permission; `runner`: the program for its extension, if it has no `#!` line. */
  | { readonly kind: 'not-executable'; readonly runner?: readonly string[] }
  /** `there`: the nearest folder of its path that exists. */
  | { readonly kind: 'no-file'; readonly there: string }
  /** A program of this machine has a similar name. */
  | { readonly kind: 'alike'; readonly program: string }
  | { readonly kind: 'not-installed' };

/** Finds out why a command cannot be found or started. Reads the disk; never throws. */
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
  // A path may contain a blank, unless its first word alone is a program.
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

/** The usual programs that start servers. Only these are compared with an unknown name. */
const PROGRAMS = 'npx node npm uvx uv python3 python pipx docker podman bunx bun deno pnpm yarn java ruby go'.split(
  ' ',
);

/** Programs that do the same under another name. */
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

/** The hint for a mistake. Repeats no part of the command, so that it may be shown anywhere. */
export function mistakeHint({ kind }: CommandMistake): string {
  return HINTS[kind] ?? 'Install it, or write its full path';
}

const HINTS: Readonly<Partial<Record<CommandMistake['kind'], string>>> = {
  url: 'The command is a URL: write it as "url", without a "command"',
  quoted: 'Leave out the quotes inside of "command"',
  'windows-path': 'It is a Windows path: write a program of this machine',
  'windows-shell': 'cmd is the Windows shell: write the program itself',
  'shell-word': 'The command belongs to a shell: write "command": "bash", "args": ["-c", "..."]',
  assignment: 'Put variables into "env", and the program alone into "command"',
  line: 'Write the program alone into "command", and each word that follows into "args"',
};

/** The nearest ancestor folder that exists. */
export function existing(path: string): string {
  let folder = dirname(path);
  while (attempt(() => statSync(folder).isDirectory()) !== true && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** Splits a command line into words as a shell does, without any other step of a shell. */
export function splitCommandLine(line: string): string[] {
  return (line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/gu) ?? []).map((word) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/gu, '$1$2'),
  );
}
