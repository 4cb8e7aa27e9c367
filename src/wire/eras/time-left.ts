import { timeLeftMs } from '../deadline.js';
import type { CallOptions } from '../peer.js';

/** The options for the next request of a call: all its requests share one deadline. */
export function timeLeft(options: CallOptions, passedMs: number): CallOptions {
  const { timeoutMs } = options;
  return timeoutMs === undefined ? options : { ...options, timeoutMs: timeLeftMs(timeoutMs, passedMs) };
}

/** A request, and the time of its first attempt. */
export interface TimedRequest {
  readonly method: string;
  readonly params: object | undefined;
  readonly options: CallOptions;
  readonly began: number;
}
