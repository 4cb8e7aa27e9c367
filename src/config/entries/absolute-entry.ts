import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { RawEntry } from '../../transports/kind.js';
import { maskArguments } from '../../model/redaction/mask-arguments.js';

export interface AbsoluteEntry {
  readonly entry: RawEntry;
  /** Notes on words that stay relative, and what they will mean. */
  readonly notes: readonly string[];
}

/**
 * The entry for use in every folder. Paths of files become absolute, because elsewhere the same words would name
 * another file or none. Paths of folders stay: `.` tells a server to work in the current folder.
 */
export function toAbsoluteEntry(entry: RawEntry, cwd: string): AbsoluteEntry {
  const notes: string[] = [];
  const { command, args } = entry;
  const isPath = typeof command === 'string' && /[/\\]/u.test(command) && !isLiteral(command);
  const program = isPath ? fullCommand(command, cwd, notes) : command;
  const shown = maskArguments(Array.isArray(args) ? args : [], command);
  const words = Array.isArray(args)
    ? args.map((word: unknown, at) =>
        typeof word === 'string' ? fullWord(word, { shown: String(shown[at]), cwd, notes }) : word,
      )
    : args;
  return {
    entry: { ...entry, ...(command !== undefined && { command: program }), ...(args !== undefined && { args: words }) },
    notes,
  };
}

/** Whether the word means the same everywhere, or is only known when the server starts. */
function isLiteral(word: string): boolean {
  return isAbsolute(word) || word.startsWith('~') || word.includes('${') || /^[a-z][a-z0-9+.-]*:\/\//iu.test(word);
}

function fullCommand(command: string, cwd: string, notes: string[]): string {
  const path = resolve(cwd, command);
  if (kindOf(path) === 'file') return path;
  notes.push(`"${command}" could not be made an absolute path: there is no such file here. ${RELATIVE}`);
  return command;
}

interface Place {
  /** The word, masked for display. */
  readonly shown: string;
  readonly cwd: string;
  readonly notes: string[];
}

function fullWord(word: string, { shown, cwd, notes }: Place): string {
  // In `--config=./x.json` the flag stays, and its value may be a file.
  const [, flag = '', value = word] = /^(-[\w-]*=)(.*)$/su.exec(word) ?? [];
  if (value === '' || value.startsWith('-') || isLiteral(value)) return word;
  const isExplicit = /^\.{1,2}(?:[/\\]|$)/u.test(value);
  const found = kindOf(resolve(cwd, value));
  if (found === 'file') {
    // `npx some-tool` means a package, even if a file has that name.
    const isName = !isExplicit && (!/[./\\]/u.test(value) || value.startsWith('@'));
    if (!isName) return flag + resolve(cwd, value);
    notes.push(`"${shown}" stays as typed: it may be a name. If you mean the file here, write ./${value}`);
    return word;
  }
  // Words such as `-v ./data:/data` contain a folder.
  const isFolder = found === 'folder' && (isExplicit || /[/\\]$/u.test(value));
  if (isFolder || (!isExplicit && INSIDE.test(value))) notes.push(`"${shown}" stays as typed. ${RELATIVE}`);
  else if (isExplicit) {
    notes.push(`"${shown}" could not be made an absolute path: there is no such file here. ${RELATIVE}`);
  }
  return word;
}

const INSIDE = /[=:,@]\.{1,2}(?:[/\\:]|$)/u;

const RELATIVE =
  'A relative path starts in the folder where Plugboard runs; in a folder that is not trusted the server waits for: plugboard trust';

function kindOf(path: string): 'file' | 'folder' | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true ? 'file' : found?.isDirectory() === true ? 'folder' : undefined;
  } catch {
    return undefined; // not a path, or not readable
  }
}
