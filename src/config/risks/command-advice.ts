import { resolve } from 'node:path';
import { unreachable } from '../../base/never.js';
import { MASK } from '../../base/secret.js';
import { shellWord } from '../../base/shell-word.js';
import { type CommandMistake, commandMistake, splitCommandLine } from '../../edge/processes/command-mistake.js';
import type { FindCommandOptions } from '../../edge/processes/find-command.js';
import { isThere } from '../../edge/files/folders.js';
import type { RawEntry } from '../../transports/kind.js';
import { maskEntry } from '../edit/mask.js';
import { byName } from '../approval/program-name.js';

export interface CommandAdvice {
  /** What is wrong, to end a sentence about the server. */
  readonly what: string;
  /** What to write, install or check. */
  readonly hint: string;
  /** The file exists, but the system does not start it. */
  readonly isThere: boolean;
}

export interface AdviceOptions extends FindCommandOptions {
  /** The expanded command, which is looked up. Messages show the entry as written. */
  readonly command: string;
  /** Folders that a relative path may have been meant to start from. */
  readonly folders: readonly string[];
}

/** Advice on a command for which no program is found, with text to paste. Contains no secret. */
export function adviseOnCommand(written: RawEntry, { command, folders, ...where }: AdviceOptions): CommandAdvice {
  const mistake = commandMistake(command, where);
  const shown = maskEntry({ command: written['command'], args: written['args'] });
  const name = String(shown['command']);
  const args = Array.isArray(shown['args']) ? shown['args'].map(String) : [];
  const hint = toHint(mistake, { name, args, command, folders, where });
  if (mistake.kind === 'folder') return { what: `"${name}" is a folder`, hint, isThere: true };
  if (mistake.kind === 'not-executable') return { what: `"${name}" is not executable`, hint, isThere: true };
  return { what: `there is no program "${name}"${command.includes('/') ? '' : ' on PATH'}`, hint, isThere: false };
}

interface Advised {
  /** The command and its arguments, masked for display. */
  readonly name: string;
  readonly args: readonly string[];
  readonly command: string;
  readonly folders: readonly string[];
  readonly where: FindCommandOptions;
}

function toHint(mistake: CommandMistake, advised: Advised): string {
  const { name, args, where } = advised;
  switch (mistake.kind) {
    case 'url':
      return `A server behind a URL has no command. Write in place of "command": ${fields({ url: name })}`;
    case 'quoted':
      return `Leave out the quotes inside: ${fields({ command: name.slice(1, -1) })}`;
    case 'home':
      return `Only a shell expands ~. Write ${fields({ command: `\${HOME}${name.slice(1)}` })}`;
    case 'windows-path':
      return `That is a Windows path, and this is ${where.platform}. Write ${fields({ command: mistake.program })}`;
    case 'windows-shell':
      return windowsShellHint(args, where);
    case 'shell-word':
      return shellWordHint(name, args);
    case 'assignment':
      return `Put ${mistake.name} into "env". Write ${split(splitCommandLine(name).slice(1), args)}`;
    case 'line':
      return `Write each word by itself: ${split(splitCommandLine(name), args)}`;
    case 'folder':
      return `Write a program in that folder; to list it: ls ${shellWord(name)}`;
    case 'not-executable':
      return mistake.runner
        ? `Write ${split([...mistake.runner, name], args)}`
        : `Allow it: chmod +x ${shellWord(pathOf(advised))}`;
    case 'no-file':
      return fileHint(mistake.there, advised);
    case 'alike':
      return `Write ${fields({ command: mistake.program })}, or install ${name}`;
    case 'not-installed':
      return installHint(name);
    default:
      return unreachable(mistake);
  }
}

/** `"command": "npx", "args": ["-y", "x"]` to paste; instructions instead if it has secrets or is too long. */
function split(words: readonly string[], args: readonly string[]): string {
  const [command = '', ...rest] = words;
  const text = fields({ command, args: [...rest, ...args] });
  const isPlain = !text.includes(MASK) && text.length <= TEXT_LIMIT;
  return isPlain ? text : `${fields({ command })}, and put the words after it at the start of "args"`;
}

const TEXT_LIMIT = 300;

function fields(record: Readonly<Record<string, string | readonly string[]>>): string {
  return Object.entries(record)
    .map(([field, value]) => {
      const list = typeof value === 'string' ? undefined : value.map((word) => JSON.stringify(word)).join(', ');
      return `"${field}": ${list === undefined ? JSON.stringify(value) : `[${list}]`}`;
    })
    .join(', ');
}

/** `cmd /c npx -y x` starts npx on Windows only. */
function windowsShellHint(args: readonly string[], { platform }: FindCommandOptions): string {
  const words = /^\/[cks]$/iu.test(args[0] ?? '') ? args.slice(1) : args;
  const why = `cmd is the Windows shell, and this is ${platform}.`;
  return words.length === 0 ? `${why} Write the program itself` : `${why} Write ${split(words, [])}`;
}

function shellWordHint(name: string, args: readonly string[]): string {
  const [folder = '.', and, ...words] = args;
  if (name === 'cd' && and === '&&' && words.length > 0) {
    return `cd belongs to a shell. Write ${fields({ cwd: folder })}, ${split(words, [])}`;
  }
  const line = [name, ...args].map((word) => (/^(?:&&|\|\|?|;)$/u.test(word) ? word : shellWord(word))).join(' ');
  return `${name} belongs to a shell. Write ${split(['bash', '-c', line], [])}`;
}

function pathOf({ name, where }: Advised): string {
  return name.includes('${') ? name : resolve(where.cwd, name);
}

/** A relative path starts from the folder in which Plugboard runs; often another folder was meant. */
function fileHint(there: string, { name, command, folders, where }: Advised): string {
  const meant = folders
    .map((folder) => resolve(folder, command))
    .find((path) => path !== resolve(where.cwd, command) && isThere(path));
  if (meant !== undefined && !name.includes('${')) {
    return `A relative path starts in the folder you are in. Write ${fields({ command: meant })}`;
  }
  const look = name.includes('${') ? '' : `; to see what is there: ls ${shellWord(there)}`;
  return `Install it, or correct "command"${look}`;
}

function installHint(name: string): string {
  const how = INSTALL.get(name);
  const path = `write its full path, which your terminal knows: command -v ${shellWord(name)}`;
  return how === undefined ? `Install it, or ${path}` : `${how}; or ${path}`;
}

const INSTALL = byName([
  ['node npm npx', 'Install Node.js: https://nodejs.org'],
  ['uv uvx', 'Install uv: python3 -m pip install uv'],
  ['pipx', 'Install pipx: python3 -m pip install pipx'],
  ['docker', 'Install Docker: https://docs.docker.com/get-docker/'],
  ['podman', 'Install Podman: https://podman.io'],
  ['bun bunx', 'Install Bun: npm install -g bun'],
  ['deno', 'Install Deno: npm install -g deno'],
  ['python python3', 'Install Python: https://www.python.org'],
]);
