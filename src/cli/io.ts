import type { ConfigOptions, HostOptions } from '../index.js';
import type { ErrorCode } from '../base/errors.js';
import type { ControlStreams } from '../actions/control.js';
import type { Recording } from '../actions/recording.js';
import type { Clock } from '../model/clock.js';
import type { TerminalStreams } from './terminal/screen.js';

/** What a run of the program has of the outside: real streams in main.ts, strings in a test. */
export interface Io {
  readonly env: { readonly [name: string]: string | undefined };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly now: () => Date;
  /** For tests: what deadlines, progress and the host go by, in place of the machine's own time. */
  readonly clock?: Clock;
  /** Aborts when the person has had enough: Ctrl-C, or whoever ends the program. A second time ends it at once. */
  readonly interrupted?: AbortSignal;
  /** With --record: opens the file for the messages of this run. */
  readonly openRecording?: () => Promise<Recording>;
  /** stdin and stdout themselves, for talking to the program that started this one. */
  readonly openControl?: () => ControlStreams;
  /** The same two, for somebody who sits at a terminal. */
  readonly openTerminal?: () => TerminalStreams;
  /** Servers inside this process, by the names that entries of type in-process give. */
  readonly embedded?: HostOptions['embedded'];
  /** For tests: what no flag can set. */
  readonly config?: Pick<ConfigOptions, 'managedDirectories' | 'platform'>;
}

export interface Input {
  readonly isTerminal: boolean;
  read(): Promise<string>;
  /** The same; undefined when not a word of it comes for so long. */
  readUnlessSilent?(silentMs: number): Promise<string | undefined>;
  /** Rejects with `cancelled` when somebody leaves, and when the signal aborts. */
  ask(question: string, signal?: AbortSignal): Promise<string>;
  /** The same; what is typed does not show. */
  askSecret(question: string, signal?: AbortSignal): Promise<string>;
  /** One line, by a question that changes with time. Rejects with `cancelled` when somebody leaves, and when the signal aborts. */
  askLive?(question: () => string, signal: AbortSignal): Promise<string>;
}

export interface Output {
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Whoever read it is gone: what is written from now on reaches nobody. */
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

/** What a script learns of a failure without reading it. */
export function exitCodeOf(code: ErrorCode | 'unhealthy' | 'different'): number {
  if (code === 'unhealthy') return exitCodes.unhealthy;
  if (code === 'different') return exitCodes.failed;
  if (code === 'usage') return exitCodes.usage;
  if (DENIED.has(code)) return exitCodes.denied;
  if (TIMED_OUT.has(code)) return exitCodes.timedOut;
  if (code === 'unauthorized') return exitCodes.signIn;
  return code === 'cancelled' ? exitCodes.interrupted : exitCodes.failed;
}

const DENIED: ReadonlySet<ErrorCode> = new Set([
  'policy-denied',
  'denied',
  'definition-changed',
  'not-approved',
  'folder-untrusted',
  'enterprise-locked',
  'needs-terminal',
]);
const TIMED_OUT: ReadonlySet<ErrorCode> = new Set(['lock-timeout', 'connect-timeout', 'call-timeout']);
