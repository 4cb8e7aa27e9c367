import { dirname } from 'node:path';
import { HostError } from '../../base/errors.js';
import { shellWord } from '../../base/shell-word.js';

/** Turns the system error of a write to `path` into a `HostError`. A `HostError` is returned unchanged. */
export function toWriteError(path: string, cause: unknown): HostError {
  if (cause instanceof HostError) return cause;
  const { reason, hint } = explainWrite(path, cause);
  return new HostError('write-failed', `Cannot write ${path}: ${reason}; the old file is intact`, { hint, cause });
}

export function explainWrite(path: string, cause: unknown): { readonly reason: string; readonly hint: string } {
  const code = errorCodeOf(cause) ?? 'unknown';
  const { reason, hint } = explain(code, shellWord(dirname(path)));
  return { reason: `${reason} (${code})`, hint };
}

export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function explain(code: string, folder: string): { reason: string; hint: string } {
  switch (code) {
    case 'ENOSPC':
      return { reason: 'the disk is full', hint: `Free some space, then try again. Look at: df -h ${folder}` };
    case 'EDQUOT':
      return { reason: 'the disk quota is used up', hint: 'Remove some of your files, then try again' };
    case 'EROFS':
      return { reason: 'the disk is read-only', hint: 'Use another folder: set XDG_CONFIG_HOME and XDG_STATE_HOME' };
    case 'EACCES':
    case 'EPERM':
      return { reason: 'permission denied', hint: `Look at who may write there: ls -la ${folder}` };
    case 'EISDIR':
      return { reason: 'it is a directory', hint: 'Remove it, or name another file' };
    case 'ENOTDIR':
    case 'EEXIST':
      return { reason: 'a part of its path is not a folder', hint: `Look at: ls -ld ${folder}` };
    case 'ELOOP':
      return { reason: 'its symbolic links lead in a circle', hint: `Look at: ls -la ${folder}` };
    case 'ENOENT':
      return { reason: 'its folder vanished', hint: `Make the folder, then try again: mkdir -p ${folder}` };
    case 'EMFILE':
    case 'ENFILE':
      return { reason: 'too many open files', hint: 'Raise the limit: ulimit -n' };
    default:
      return { reason: 'the system refused', hint: `Look at: ls -la ${folder}` };
  }
}
