import { inspect } from 'node:util';
import type { HostError } from '../base/errors.js';
import { toHostError } from '../base/to-host-error.js';
import { DiagnosedError } from '../actions/health/diagnosed-error.js';
import { stderrOf } from '../model/text/error-stderr.js';
import { envelope } from './output/envelope.js';
import { exitCodeOf, type Io } from './io.js';
import { showLine, showText } from '../model/show.js';
import { errorLines, type ToldError } from './output/error-lines.js';
import { screenColumns, styleFor } from './output/style.js';

export interface FailOptions {
  readonly io: Io;
  readonly asJson: boolean;
  readonly verbose: boolean;
  readonly noColor: boolean;
  /** What the run got done before it failed, for the JSON output. */
  readonly data?: object;
}

/** Prints an error as JSON, or in its parts: what, why and what to do. Returns the exit code. */
export function fail(error: HostError, { io, asJson, verbose, noColor, data }: FailOptions): number {
  const { code, message, hint, docs } = error;
  if (asJson) {
    const words = stderrOf(error);
    const { cause } = toldErrorOf(error);
    const more = { ...(cause !== undefined && { cause }), ...(words !== '' && { stderr: words }) };
    const told = { code, message, hint: hint ?? '', docs, ...more };
    io.stdout.write(envelope({ ok: false, error: told, ...(data && { data }) }));
  } else {
    const style = styleFor(io.stderr, { env: io.env, noColor });
    const lines = errorLines(toldErrorOf(error), { style, columns: screenColumns(io.stderr) });
    io.stderr.write(`${lines.join('\n')}\n`);
    if (verbose && error.cause !== undefined) io.stderr.write(`  cause: ${showText(inspect(error.cause))}\n`);
  }
  return exitCodeOf(code);
}

/** The parts of an error that a person is shown. */
export function toldErrorOf(error: HostError): ToldError {
  const { code, message, hint } = error;
  const stderr = stderrOf(error);
  // The stderr that is shown replaces a hint that only quotes a line of it.
  const isSaid = hint === undefined || message.includes(hint) || (stderr.trim() !== '' && hint.startsWith(QUOTING));
  return {
    severity: 'error',
    // Only `ambiguous-server` has a message of several lines; elsewhere a line break can only come from a quoted file.
    message: code === 'ambiguous-server' ? showText(message) : showLine(message),
    ...(error instanceof DiagnosedError && { place: error.place, cause: error.because }),
    stderr,
    // Only a hint about what the user typed has several lines.
    hint: isSaid ? undefined : code === 'usage' ? hint : showLine(hint),
  };
}

const QUOTING = 'It said: ';

/** The error that a verb has thrown; whatever is no `HostError` is a bug in Plugboard. */
export function toProgramError(
  error: unknown,
  hint = 'Run the command again with --verbose and report its output',
): HostError {
  return toHostError(error, 'Plugboard itself failed', {
    reason: error instanceof Error ? error.message : String(error),
    hint,
  });
}
