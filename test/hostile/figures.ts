import type { Channel, Setup } from '../../src/testing/mode.js';

/** What the host of the table is asked to do: one mode, with the deadlines of its steps in milliseconds. */
export interface Job {
  readonly server: Started | Listening;
  readonly setup: Setup;
  readonly deadlines: Readonly<Record<'connect' | 'list' | 'call' | 'next', number>>;
  /** Bytes to send along with `attack`; undefined: it is not called. */
  readonly padding: number | undefined;
  /** What a model gets to see of it is looked at as well. */
  readonly isShown?: boolean;
}

export interface Started {
  readonly script: string;
  readonly mode: string;
  readonly mark: string;
  readonly isSandboxed: boolean;
}

export interface Listening {
  readonly channel: Exclude<Channel, 'stdio'>;
  readonly url: string;
}

/** What became of one step. */
export interface Step {
  readonly ms: number;
  /** The longest timer of the host that ran out meanwhile, in the milliseconds that it was set to. */
  readonly waitedMs: number;
  readonly text: string;
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
}

/** What one mode did to the host. */
export interface Figures {
  readonly connect: Step;
  readonly list?: Step & { readonly tools: readonly { readonly name: string; readonly description: string }[] };
  readonly call?: Step;
  readonly next?: Step;
  readonly counts?: Readonly<Record<string, number>>;
  /** Notes that reached whoever listens. */
  readonly told: number;
  readonly close: Pick<Step, 'ms' | 'waitedMs'>;
  /** The longest that the event loop computed without a pause. */
  readonly stallMs: number;
  /** By how much the process grew, at its largest. */
  readonly growthMb: number;
  readonly neighbour: {
    readonly calls: number;
    /** How much the host computed at most while it waited for an answer. */
    readonly busiestMs: number;
    readonly failed: string;
  };
  readonly isPolluted: boolean;
  readonly shown?: ShownFigures;
}

/** What came out of it for a model. */
export interface ShownFigures {
  /** All texts of the answer. */
  readonly text: string;
  readonly length: number;
  readonly pictures: number;
  /** Texts with characters that nobody sees. */
  readonly hidden: readonly string[];
  readonly saved: number;
  /** Files that are not where they belong. */
  readonly outside: readonly string[];
  readonly notes: string;
  /** By profile. */
  readonly offers: Readonly<
    Record<
      string,
      { readonly tools: readonly string[]; readonly setAside: readonly string[]; readonly hidden: readonly string[] }
    >
  >;
}

/** The server's name in every text. */
export const SERVER = 'evil';
export const TOKEN = 'Bearer the-token-of-the-table';
export const NEXT_TEXT = 'still there?';
