import { toHostError } from '../../base/to-host-error.js';
import type { QueueWaitOptions } from '../../connection/call-queue.js';
import type { RetriedOutcome } from '../../connection/call-with-retries.js';
import type { Operation } from '../../connection/operation.js';
import type { LaneUse } from '../../lanes/lane.js';
import type { Caller } from '../../model/caller.js';
import { timeLeftMs } from '../../wire/deadline.js';
import { MODERN_VERSIONS } from '../../wire/eras/envelope.js';
import type { Server } from './server.js';

export interface LineWait extends QueueWaitOptions {
  readonly caller?: Caller | undefined;
}

/** The wait of a caller with a lane. */
export interface LaneWait extends QueueWaitOptions {
  readonly caller: Caller;
  /** When the time began to count, on the monotonic clock. */
  readonly began: number;
}

/** Whether a caller has lines of its own to servers that keep state for a session. */
export function hasLane(caller: Caller | undefined): boolean {
  return caller !== undefined && (caller.lane ?? caller.group?.lane) !== undefined;
}

/** Runs an operation over the line that the caller's requests use. Never rejects. */
export function askServer<Result>(
  server: Server,
  operation: Operation<Result>,
  { caller, signal, timeoutMs }: LineWait,
): Promise<RetriedOutcome<Result>> {
  return caller && hasLane(caller)
    ? askOverLane(server, operation, { caller, signal, timeoutMs, began: server.clock.monotonic() })
    : server.ask(operation, { signal, timeoutMs });
}

/** As `askServer`, for a caller with a lane. Waits for nothing but the operation once the server's era is known. */
export function askOverLane<Result>(
  server: Server,
  operation: Operation<Result>,
  wait: LaneWait,
): Promise<RetriedOutcome<Result>> {
  const era = knownEra(server);
  if (era === undefined) return askLater(server, operation, wait);
  return era === 'legacy' ? askLane(server, operation, wait) : server.askShared(operation, wait, wait.began);
}

function askLane<Result>(
  server: Server,
  operation: Operation<Result>,
  wait: LaneWait,
): Promise<RetriedOutcome<Result>> {
  try {
    const use = server.useLane(wait.caller);
    const { lane } = use;
    return lane.line.ask(operation, wait, wait.began).then((carried) => {
      use[Symbol.dispose]();
      // Taken by a result only: a call that was never sent tells nobody that the state is gone.
      return carried.attempts > 0 && lane.takeAnew() ? { ...carried, isNewLane: true } : carried;
    });
  } catch (cause) {
    return Promise.resolve(unasked(server, cause));
  }
}

async function askLater<Result>(
  server: Server,
  operation: Operation<Result>,
  wait: LaneWait,
): Promise<RetriedOutcome<Result>> {
  try {
    const era = await connectedEra(server, wait);
    if (era === 'legacy') return await askLane(server, operation, wait);
    const { signal, timeoutMs, began } = wait;
    const left = timeoutMs === undefined ? undefined : timeLeftMs(timeoutMs, server.clock.monotonic() - began);
    return await server.askShared(operation, { signal, timeoutMs: left });
  } catch (cause) {
    return unasked(server, cause);
  }
}

/** The outcome of a request for which there was no line. */
export function unasked(server: Server, cause: unknown): RetriedOutcome<never> {
  const error = toHostError(cause, `Server "${server.name}" could not be asked`);
  return { outcome: 'error', error, attempts: 0 };
}

/**
 * The lane of the caller, for a watch or a task; undefined for a modern server, whose own line all callers share. The era of a
 * server that was never connected shows when its own line is. Rejects where there is no room for another lane.
 */
export async function heldLaneOf(server: Server, caller: Caller, wait: QueueWaitOptions): Promise<LaneUse | undefined> {
  const era = knownEra(server) ?? (await connectedEra(server, wait));
  return era === 'legacy' ? server.holdLane(caller) : undefined;
}

/** A cached `modern` is not believed: a server that has become legacy would mix what its callers do. */
function knownEra({ connection, catalog, status }: Server): 'legacy' | 'modern' | undefined {
  // What keeps it from being called is told by its own line.
  if (status.kind === 'disabled') return 'modern';
  if (connection && !connection.peer.isClosed) return connection.session.era;
  const { protocol } = catalog;
  if (protocol === undefined || (MODERN_VERSIONS as readonly string[]).includes(protocol)) return undefined;
  return 'legacy';
}

async function connectedEra(server: Server, wait: QueueWaitOptions): Promise<'legacy' | 'modern'> {
  const { session } = await server.whenConnected(wait);
  return session.era;
}
