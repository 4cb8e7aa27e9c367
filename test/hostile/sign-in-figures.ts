import type { Figures, Step } from './figures.js';

/** A job for the sign-in host: sign in to one server and use it. */
export interface SignInJob {
  readonly mode: string;
  readonly url: string;
  /** The URL of a healthy server that is called throughout. */
  readonly good: string;
  /** The host's home folder. */
  readonly folder: string;
  /** The deadline of the sign-in. */
  readonly deadlineMs: number;
  /** The `oauth` field of the entry. */
  readonly oauth?: { readonly [name: string]: unknown };
}

/** The outcome of a `SignInJob`. */
export interface SignInFigures {
  readonly mode: string;
  /** The server's status before the sign-in. */
  readonly status: string;
  readonly refusal: Step;
  readonly signIn: Step;
  readonly end: 'signed-in' | 'failed' | 'cancelled';
  /** The page that the user was to be sent to. */
  readonly page?: string;
  /** How many scopes were requested. */
  readonly scopes?: number;
  readonly list?: NonNullable<Figures['list']>;
  readonly call?: Step;
  readonly next?: Step;
  readonly close: Figures['close'];
  readonly neighbour: Figures['neighbour'];
}

/** What all jobs together cost the process. */
export type Toll = Pick<Figures, 'stallMs' | 'growthMb' | 'isPolluted'>;
