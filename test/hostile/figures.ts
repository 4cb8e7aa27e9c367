import type { Channel, Setup } from '../../src/testing/mode.js';

/** A job for the host under attack: one mode, with the deadlines of its steps in milliseconds. */
export interface Job {
  readonly server: Started | Listening;
  readonly setup: Setup;
  readonly deadlines: Readonly<Record<'connect' | 'list' | 'call' | 'next', number>>;
  /** Bytes to send along with `attack`; undefined: `attack` is not called. */
  readonly padding: number | undefined;
  /** Also records what a model would be shown. */
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

/** The outcome of one step. */
export interface Step {
  readonly ms: number;
  /** The longest timer of the host that ran out during the step, in the milliseconds it was set to. */
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
  /** How many notifications reached the listener. */
  readonly told: number;
  readonly close: Pick<Step, 'ms' | 'waitedMs'>;
  /** The longest time that the event loop was blocked by computing. */
  readonly stallMs: number;
  /** The peak growth of the process's memory. */
  readonly growthMb: number;
  readonly neighbour: {
    readonly calls: number;
    /** The most CPU time that the host used while it waited for one response. */
    readonly busiestMs: number;
    readonly failed: string;
  };
  readonly isPolluted: boolean;
  readonly shown?: ShownFigures;
}

/** What a model would be shown of the server. */
export interface ShownFigures {
  /** All text blocks of the result. */
  readonly text: string;
  readonly length: number;
  readonly pictures: number;
  /** Texts with invisible characters. */
  readonly hidden: readonly string[];
  readonly saved: number;
  /** Saved files that are not in the host's state folder. */
  readonly outside: readonly string[];
  readonly notes: string;
  /** The tools on offer, by profile. */
  readonly offers: Readonly<
    Record<
      string,
      { readonly tools: readonly string[]; readonly setAside: readonly string[]; readonly hidden: readonly string[] }
    >
  >;
}

/** The server's name, which every error must contain. */
export const SERVER = 'evil';
export const TOKEN = 'Bearer the-token-of-the-table';
export const NEXT_TEXT = 'still there?';
