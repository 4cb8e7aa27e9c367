import { inspect } from 'node:util';
import type { HostError } from '../base/errors.js';
import { toHostError } from '../base/to-host-error.js';
import { stderrOf } from '../model/text/error-stderr.js';
import { envelope } from './output/envelope.js';
import { exitCodeOf, type Io } from './io.js';
import { showLine, showText } from '../model/show.js';
import { screenColumns, styleFor } from './output/style.js';
import { wrapHint, wrapLine } from './output/wrap.js';

export interface FailOptions {
  readonly io: Io;
  readonly asJson: boolean;
  readonly verbose: boolean;
  readonly noColor: boolean;
  /** What the run got done before it failed, for the JSON output. */
  readonly data?: object;
}

/** Prints an error as JSON, or as message, the server's stderr and hint. Returns the exit code. */
export function fail(error: HostError, { io, asJson, verbose, noColor, data }: FailOptions): number {
  const { code, message, hint, docs } = error;
  const words = stderrOf(error);
  const stderr = words === '' ? {} : { stderr: words };
  if (asJson) {
    const told = { code, message, hint: hint ?? '', docs, ...stderr };
    io.stdout.write(envelope({ ok: false, error: told, ...(data && { data }) }));
  } else {
    const columns = screenColumns(io.stderr);
    const { red } = styleFor(io.stderr, { env: io.env, noColor });
    // Only `ambiguous-server` has a message of several lines; elsewhere a line break can only come from a quoted file.
    const rows = code === 'ambiguous-server' ? showText(message).split('\n') : wrapLine(showLine(message), columns, 2);
    io.stderr.write(`${rows.map(red).join('\n')}\n`);
    // The hint of a server that exited may quote one line of its stderr; all of the kept stderr replaces it.
    const said = words.trim();
    const isQuoted = said !== '' && hint?.includes(said) === true;
    if (said !== '' && !isQuoted) io.stderr.write(`  The server said on stderr:\n${indented(showText(said))}\n`);
    const isSaid = hint === undefined || message.includes(hint) || (!isQuoted && hint.startsWith(QUOTING));
    // Only a hint about what the user typed has several lines.
    const shown = isSaid ? [] : (code === 'usage' ? showText(hint) : showLine(hint)).split('\n');
    for (const line of shown) io.stderr.write(`${wrapHint(`  ${line}`, columns, 4).join('\n')}\n`);
    if (verbose && error.cause !== undefined) io.stderr.write(`  cause: ${showText(inspect(error.cause))}\n`);
  }
  return exitCodeOf(code);
}

const QUOTING = 'It said: ';

function indented(text: string): string {
  return text.replaceAll(/^/gmu, '    ');
}

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
