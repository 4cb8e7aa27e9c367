import type { Resolvers } from '../base/resolvers.js';
import type { QueueWaitOptions } from './call-queue.js';
import type { Connection } from './connect.js';

/**
 * A request to a server: a tool call, a prompt, a resource, a completion. One object for all attempts, so that a retry
 * allocates nothing and a call passes one function here.
 */
export interface Operation<Result> {
  /** Whether the request can safely run twice. Asked before each retry: the server's version may have changed. */
  isSafe(): boolean;
  /** One attempt. Rejects with a HostError. */
  on(connection: Connection, limits: QueueWaitOptions): Promise<Result>;
  /** Makes the first attempt as `on` does, without a promise. False: it cannot, and nothing was sent. */
  begin?(connection: Connection, limits: QueueWaitOptions, ended: Resolvers<Result>): boolean;
}

/** An operation that only reads: it may be retried after any failure. */
export function reading<Result>(on: Operation<Result>['on']): Operation<Result> {
  return { isSafe: () => true, on };
}
