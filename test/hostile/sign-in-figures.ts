import type { Figures, Step } from './figures.js';

/** What the host of this table is asked to do: to sign in to one server, and to use it. */
export interface SignInJob {
  readonly mode: string;
  readonly url: string;
  /** A healthy server, to be called throughout. */
  readonly good: string;
  /** The home of the host. */
  readonly folder: string;
  /** Of the sign-in. */
  readonly deadlineMs: number;
  /** What the entry says besides. */
  readonly oauth?: { readonly [name: string]: unknown };
}

/** What came of it. */
export interface SignInFigures {
  readonly mode: string;
  /** The state of the server before anybody signs in. */
  readonly status: string;
  readonly refusal: Step;
  readonly signIn: Step;
  readonly end: 'signed-in' | 'failed' | 'cancelled';
  /** Where somebody was to be sent. */
  readonly page?: string;
  /** How many rights were asked for. */
  readonly scopes?: number;
  readonly list?: NonNullable<Figures['list']>;
  readonly call?: Step;
  readonly next?: Step;
  readonly close: Figures['close'];
  readonly neighbour: Figures['neighbour'];
}

/** What all of them together did to the process. */
export type Toll = Pick<Figures, 'stallMs' | 'growthMb' | 'isPolluted'>;
