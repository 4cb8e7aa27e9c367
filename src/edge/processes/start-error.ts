import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';
import { fileHead } from '../files/file-head.js';
import type { StartProcessOptions } from './process-tree.js';
import { errorCodeOf } from '../files/write-error.js';

export type FailedStart = Pick<StartProcessOptions, 'name' | 'command' | 'args' | 'cwd' | 'env'>;

/** Turns a failed start into a `HostError`. One code has several causes, so folder and command are checked. */
export async function toStartError(start: FailedStart, cause: unknown): Promise<HostError> {
  const code = errorCodeOf(cause) ?? 'unknown';
  const { reason, hint } = await explain(code, start);
  return new HostError('start-failed', `Server "${start.name}" could not be started: ${reason} (${code})`, {
    hint,
    cause,
  });
}

interface Explanation {
  readonly reason: string;
  readonly hint: string;
}

async function explain(code: string, start: FailedStart): Promise<Explanation> {
  const { name, command } = start;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EACCES':
    case 'EPERM':
    case 'ELOOP':
      return (await explainFolder(start)) ?? (await explainCommand(start));
    case 'E2BIG':
      return {
        reason: `its arguments and environment have ${sizeOf(start)} bytes, more than the system allows`,
        hint: `Pass less in args and env of "${name}", for example the path of a file`,
      };
    case 'EMFILE':
    case 'ENFILE':
      return { reason: 'too many open files', hint: 'Run fewer servers at once, or raise the limit: ulimit -n' };
    case 'EAGAIN':
      return { reason: 'too many processes', hint: 'End some processes, or raise the limit: ulimit -u' };
    case 'ENOMEM':
      return { reason: 'not enough memory', hint: 'End some programs, then try again' };
    case 'ETXTBSY':
      return { reason: `${command} is being written`, hint: 'Wait for its installation to end, then try again' };
    case 'ENOEXEC':
      return { reason: `${command} is not a program for this machine`, hint: `Look at: file ${shellWord(command)}` };
    case 'EINVAL':
    case 'UNKNOWN':
      // Windows starts .cmd and .bat files only through a shell, which would split arguments.
      return {
        reason: `the system does not start ${command}`,
        hint: 'Write "command": "cmd", and put "/c" and the name of that file at the start of "args"',
      };
    default:
      return { reason: `the system refused ${command}`, hint: `Look at command, args and cwd of "${name}"` };
  }
}

async function explainFolder({ name, cwd }: FailedStart): Promise<Explanation | undefined> {
  const stats = await stat(cwd).catch(() => undefined);
  if (stats === undefined) {
    return {
      reason: `its working directory ${cwd} does not exist`,
      hint: `Make it: mkdir -p ${shellWord(cwd)}, or correct cwd of "${name}"`,
    };
  }
  if (!stats.isDirectory()) {
    return { reason: `its working directory ${cwd} is a file`, hint: `Correct cwd of "${name}"` };
  }
  if (await isAllowed(cwd)) return undefined;
  return {
    reason: `you may not enter its working directory ${cwd}`,
    hint: `Look at: ls -ld ${shellWord(cwd)}, or correct cwd of "${name}"`,
  };
}

async function explainCommand({ name, command }: FailedStart): Promise<Explanation> {
  const stats = await stat(command).catch(errorCodeOf);
  if (typeof stats !== 'object') {
    return stats === 'EACCES'
      ? { reason: `you may not enter a folder of ${command}`, hint: `Look at: namei -l ${shellWord(command)}` }
      : { reason: `${command} does not exist`, hint: `Install it, or correct command of "${name}"` };
  }
  if (stats.isDirectory()) return { reason: `${command} is a directory`, hint: `Correct command of "${name}"` };
  if (!(await isAllowed(command))) {
    return { reason: `${command} is not executable`, hint: `Allow it: chmod +x ${shellWord(command)}` };
  }
  return explainInterpreter(command);
}

/** For a script, whose first line names its interpreter. */
function explainInterpreter(command: string): Explanation {
  const head = fileHead(command, 256)?.toString('utf8') ?? '';
  const [line = ''] = head.split('\n', 1);
  const reason = `${command} cannot be run: the interpreter in its first line is missing or not allowed`;
  if (line.startsWith('#!') && line.endsWith('\r')) {
    // The CR of a Windows line end becomes part of the interpreter's name.
    return { reason, hint: `The file has Windows line ends. Remove them: sed -i 's/\\r$//' ${shellWord(command)}` };
  }
  const [, interpreter] = /^#! ?(\/[\w./+-]{1,200})/u.exec(line) ?? [];
  if (interpreter === undefined) return { reason, hint: `Look at: head -1 ${shellWord(command)} | cat -A` };
  return { reason, hint: `Install ${interpreter}, or name another in its first line: head -1 ${shellWord(command)}` };
}

async function isAllowed(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function sizeOf({ command, args, env }: FailedStart): number {
  const texts = [command, ...args, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
}
