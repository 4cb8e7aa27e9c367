import { Secret } from '../../base/secret.js';
import { followFile } from '../../edge/logs/follow-file.js';
import { type FilePosition, readTail } from '../../edge/logs/tail-file.js';
import { textRedactor } from '../../model/redaction/redact-text.js';
import { gateText } from '../../model/text/text-gate.js';
import { logFile } from './log-file.js';
import { entrySecrets } from '../entry-secrets.js';

export interface ServerLogOptions {
  /** The folder in which logs are kept. */
  readonly state: string;
  readonly name: string;
  /** What may hold secrets that its server has printed: the entries of that name. */
  readonly configs: readonly unknown[];
  /** Nothing is masked. */
  readonly reveal: boolean;
}

export interface LogTail {
  readonly file: string;
  readonly lines: readonly string[];
  /** Undefined: there is no log. */
  readonly position: FilePosition | undefined;
}

/** The last lines that a server said on stderr, fit to be shown. */
export function readServerLog(
  options: ServerLogOptions,
  { lines, isFollowed }: { readonly lines: number; readonly isFollowed: boolean },
): LogTail {
  const file = logFile(options.state, options.name);
  const tail = readTail(file, { lines, takesUnfinished: !isFollowed });
  // What ends a line for us may be more than what does in the file.
  const clean = cleanerOf(options)(tail.lines);
  return { file, lines: lines === 0 ? [] : clean.slice(-lines), position: tail.position };
}

export interface FollowLogOptions {
  readonly from: FilePosition | undefined;
  readonly signal: AbortSignal;
  /** False: nobody listens any more. */
  readonly onLines: (lines: readonly string[]) => boolean;
}

/** What it says from now on, until the signal aborts. */
export function followServerLog(options: ServerLogOptions, { from, signal, onLines }: FollowLogOptions): Promise<void> {
  const clean = cleanerOf(options);
  return followFile(logFile(options.state, options.name), { from, signal, onLines: (lines) => onLines(clean(lines)) });
}

/** Takes out what a terminal would obey, then what nobody should read: the other way round, one could hide the other. */
function cleanerOf({ configs, reveal }: ServerLogOptions): (lines: readonly string[]) => readonly string[] {
  const secrets = configs.flatMap((config) => entrySecrets(config));
  // A key of several lines is in a log line by line.
  const parts = secrets.flatMap((secret) => secret.reveal().split(/\r?\n/u)).map((line) => new Secret(line));
  const redactor = textRedactor({ secrets: [...secrets, ...parts] });
  return (lines) => {
    if (lines.length === 0) return lines;
    // A line end of Windows is one, and not two.
    const { text } = gateText(lines.map((line) => line.replace(/\r$/u, '')).join('\n'));
    return (reveal ? text : redactor.redact(text)).split('\n');
  };
}
