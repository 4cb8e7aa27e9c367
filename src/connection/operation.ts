import type { QueueWaitOptions } from './call-queue.js';
import type { Connection } from './connect.js';

/**
 * Something that is asked of a server: a tool call, a prompt, a resource, a completion. One object for all attempts, so that a retry makes
 * nothing new and a call passes one function here.
 */
export interface Operation<Result> {
  /** Whether doing it twice does no more than doing it once. Asked when it matters: the server may be another version by then. */
  isSafe(): boolean;
  /** One attempt. Rejects with a HostError. */
  on(link: Connection, limits: QueueWaitOptions): Promise<Result>;
}

/** Something that only reads: it may be asked again after any failure. */
export function reading<Result>(on: Operation<Result>['on']): Operation<Result> {
  return { isSafe: () => true, on };
}
