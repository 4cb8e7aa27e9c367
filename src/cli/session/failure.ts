import { errorLines } from '../output/error-lines.js';
import { toldErrorOf, toProgramError } from '../fail.js';
import type { Screen } from '../terminal/screen.js';
import { ownCommands } from './own-commands.js';

/** An error as rows: what, why, and what to do about it. */
export function failureRows(cause: unknown, { style, columns }: Pick<Screen, 'style' | 'columns'>): string[] {
  const error = toProgramError(cause, 'The session continues; report this with what you did before');
  const { stderr = '', hint, ...told } = toldErrorOf(error);
  const last = stderr.trim().split('\n').slice(-STDERR_ROWS).join('\n');
  return errorLines({ ...told, stderr: last, hint: hint && ownCommands(hint) }, { style, columns });
}

const STDERR_ROWS = 10;
