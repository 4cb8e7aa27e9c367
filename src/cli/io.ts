import type { ConfigOptions, HostOptions } from '../index.js';
import type { ErrorCode } from '../base/error-codes.js';
import type { ControlStreams } from '../actions/control.js';
import type { Recording } from '../actions/recording.js';
import type { Clock } from '../model/clock.js';
import { deniedCodes, timeoutCodes } from '../model/source/error-groups.js';
import type { DemoServers } from './demo/demo-servers.js';
import type { TerminalStreams } from './terminal/screen.js';

/** What a run reads from and writes to: real streams in main.ts, strings in a test. */
export interface Io {
  readonly env: { readonly [name: string]: string | undefined };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly now: () => Date;
  /** `--plain`: nothing is coloured, redrawn or told by a sign alone. */
  readonly isPlain?: boolean;
  /** For tests: the clock of deadlines, progress and the host, in place of the machine's. */
  readonly clock?: Clock;
  /** Aborts on Ctrl-C, SIGTERM or SIGHUP. A second signal ends the program at once. */
  readonly interrupted?: AbortSignal;
  /** With --record: opens the file that this run's messages go to. */
  readonly openRecording?: () => Promise<Recording>;
  /** stdin and stdout as streams, to exchange messages with the program that started this one. */
  readonly openControl?: () => ControlStreams;
  /** stdin and stdout as streams, for a user at a terminal. */
  readonly openTerminal?: () => TerminalStreams;
  /** In-process servers, by the names in entries of type in-process. */
  readonly embedded?: HostOptions['embedded'];
  /** Opens the servers of the demo, which are in the package beside the program. */
  readonly openDemo?: () => Promise<DemoServers>;
  /** For tests: options that no flag can set. */
  readonly config?: Pick<ConfigOptions, 'managedDirectories' | 'platform'>;
}

export interface Input {
  readonly isTerminal: boolean;
  read(): Promise<string>;
  /** Like `read`; undefined when nothing arrives within `silentMs`. */
  readUnlessSilent?(silentMs: number): Promise<string | undefined>;
  /** Rejects with `cancelled` when the user leaves or the signal aborts. */
  ask(question: string, signal?: AbortSignal): Promise<string>;
  /** Like `ask`, without showing what is typed. */
  askSecret(question: string, signal?: AbortSignal): Promise<string>;
  /** The same for `--plain`: asks without moving the cursor. */
  asPlain?(): Input;
  /** Like `ask`, for one line with a question that is redrawn as it changes. */
  askLive?(question: () => string, signal: AbortSignal): Promise<string>;
}

export interface Output {
  readonly isTerminal: boolean;
  readonly columns: number;
  /** The height of a terminal, where it is known. */
  readonly rows?: number | undefined;
  /** The reader is gone: what is written from now on is lost. */
  readonly isClosed?: boolean;
  write(text: string): void;
}

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  unhealthy: 3,
  signIn: 4,
  denied: 5,
  timedOut: 124,
  interrupted: 130,
} as const;

/** The exit code for an error, so that a script need not parse the message. */
export function exitCodeOf(code: ErrorCode | 'unhealthy' | 'different'): number {
  if (code === 'unhealthy') return exitCodes.unhealthy;
  if (code === 'different') return exitCodes.failed;
  if (code === 'usage') return exitCodes.usage;
  if (deniedCodes.includes(code)) return exitCodes.denied;
  if (timeoutCodes.includes(code)) return exitCodes.timedOut;
  if (code === 'unauthorized') return exitCodes.signIn;
  return code === 'cancelled' ? exitCodes.interrupted : exitCodes.failed;
}
