import { timeLeftMs } from '../deadline.js';
import type { CallOptions } from '../peer.js';

/** The options of a call that has several requests in it, for the next of them: its one deadline holds for all. */
export function timeLeft(options: CallOptions, passedMs: number): CallOptions {
  const { timeoutMs } = options;
  return timeoutMs === undefined ? options : { ...options, timeoutMs: timeLeftMs(timeoutMs, passedMs) };
}

/** A request, and since when it is tried. */
export interface TimedRequest {
  readonly method: string;
  readonly params: object | undefined;
  readonly options: CallOptions;
  readonly began: number;
}
