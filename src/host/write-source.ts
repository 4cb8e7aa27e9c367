import { dirname, join } from 'node:path';
import { HostError } from '../base/errors.js';
import { isFolder } from '../edge/files/folders.js';
import { updateFile } from '../edge/files/write-file.js';

export interface WriteSourceOptions {
  /** The text near the beginning by which a file of ours is known. */
  readonly mark: string;
  /** Replaces a file that is not ours. */
  readonly isForced: boolean;
  readonly isProgram: boolean;
}

/** Writes a source file, whole or not at all. Rejects when the file exists and was not written by the same command. */
export async function writeSource(path: string, text: string, options: WriteSourceOptions): Promise<string> {
  const { mark, isForced, isProgram } = options;
  const change = (before: string | undefined): string => {
    if (before === undefined || isForced || before.slice(0, HEAD).includes(mark)) return text;
    throw new HostError('write-failed', `${path} exists, and was not written by this command`, {
      hint: 'Choose another file, or replace this one with --force',
    });
  };
  const written = await updateFile(path, change, {
    limit: SOURCE_LIMIT,
    mode: isProgram ? 0o755 : 0o644,
    directoryMode: 0o755,
  });
  return written.path;
}

const HEAD = 200; // characters; the mark is in the first lines
export const SOURCE_LIMIT = 32_000_000; // bytes; a server of thousands of tools makes a few

/** Whether Node finds the package `plugboard` from this file: in `node_modules` of its folder or of one above it. */
export function findsPlugboard(file: string): boolean {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (isFolder(join(folder, 'node_modules/plugboard'))) return true;
    if (folder === dirname(folder)) return false;
  }
}
