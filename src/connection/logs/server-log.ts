import { Secret } from '../../base/secret.js';
import { followFile } from '../../edge/logs/follow-file.js';
import { type FilePosition, readTail } from '../../edge/logs/tail-file.js';
import { textRedactor } from '../../model/redaction/redact-text.js';
import { gateText } from '../../model/text/text-gate.js';
import { logFile } from './log-file.js';
import { entrySecrets } from '../entry-secrets.js';

export interface ServerLogOptions {
  /** The state folder, which has the logs. */
  readonly state: string;
  readonly name: string;
  /** All entries of this name: their secrets are masked, because the server may have printed them. */
  readonly configs: readonly unknown[];
  /** True: secrets are not masked. */
  readonly reveal: boolean;
}

export interface LogTail {
  readonly file: string;
  readonly lines: readonly string[];
  /** Undefined: there is no log. */
  readonly position: FilePosition | undefined;
}

/** The last lines of a server's stderr, cleaned and masked for display. */
export function readServerLog(
  options: ServerLogOptions,
  { lines, isFollowed }: { readonly lines: number; readonly isFollowed: boolean },
): LogTail {
  const file = logFile(options.state, options.name);
  const tail = readTail(file, { lines, takesUnfinished: !isFollowed });
  // The text gate may split a line of the file into several.
  const clean = cleanerOf(options)(tail.lines);
  return { file, lines: lines === 0 ? [] : clean.slice(-lines), position: tail.position };
}

export interface FollowLogOptions {
  readonly from: FilePosition | undefined;
  readonly signal: AbortSignal;
  /** Contract: returns false when no more lines are wanted. */
  readonly onLines: (lines: readonly string[]) => boolean;
}

/** Passes on new lines of the log until the signal aborts. */
export function followServerLog(options: ServerLogOptions, { from, signal, onLines }: FollowLogOptions): Promise<void> {
  const clean = cleanerOf(options);
  return followFile(logFile(options.state, options.name), { from, signal, onLines: (lines) => onLines(clean(lines)) });
}

/** Removes control sequences, then secrets: in the other order a sequence inside a secret could hide it. */
function cleanerOf({ configs, reveal }: ServerLogOptions): (lines: readonly string[]) => readonly string[] {
  const secrets = configs.flatMap((config) => entrySecrets(config));
  // A key of several lines stands in a log line by line.
  const parts = secrets.flatMap((secret) => secret.reveal().split(/\r?\n/u)).map((line) => new Secret(line));
  const redactor = textRedactor({ secrets: [...secrets, ...parts] });
  return (lines) => {
    if (lines.length === 0) return lines;
    // CRLF is one line end, not two.
    const { text } = gateText(lines.map((line) => line.replace(/\r$/u, '')).join('\n'));
    return (reveal ? text : redactor.redact(text)).split('\n');
  };
}
