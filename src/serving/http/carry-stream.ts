// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
import type { LoggedEvent, LoggedStream } from './event-log.js';
import type { SseWriter } from './sse-writer.js';

/**
 * Has a response carry a stream of a legacy session, from the event that its client has read last. To be disposed of when
 * the connection is lost.
 */
export function carryStream(
  stream: LoggedStream,
  writer: SseWriter,
  {
    last = stream.firstId,
    missed = [],
  }: { readonly last?: string | undefined; readonly missed?: readonly LoggedEvent[] } = {},
): Disposable {
  // Not the id of an event that is still to be written: a client that is cut before it would never ask for it again.
  writer.prime(last, RETRY_MS);
  writer.replay(missed);
  return stream.attach({
    event: ({ id, json }) => writer.event(id, json),
    end: (event) => writer.end(event?.id, event?.json),
    replaced: () => writer.stop(),
  });
}

/** How long a client waits before it comes back. */
export const RETRY_MS = 1_000;
