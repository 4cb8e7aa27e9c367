// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
import type { LoggedEvent, LoggedStream } from './event-log.js';
import type { SseWriter } from './sse-writer.js';

/**
 * Has a response carryStream a stream of a legacy session: first what its client has missed, or the id to come back with. To
 * be disposed of when the connection is lost.
 */
export function carryStream(stream: LoggedStream, writer: SseWriter, missed: readonly LoggedEvent[] = []): Disposable {
  writer.prime(missed.at(-1) === undefined ? lastIdOf(stream) : missed[0]!.id, RETRY_MS);
  writer.replay(missed);
  return stream.attach({
    event: ({ id, json }) => writer.event(id, json),
    end: (last) => writer.end(last?.id, last?.json),
    replaced: () => writer.end(),
  });
}

/** Nothing before it is asked for again. */
function lastIdOf(stream: LoggedStream): string {
  return stream.last === 0 ? stream.firstId : `${stream.id}-${stream.last}`;
}

/** How long a client waits before it comes back. */
export const RETRY_MS = 1_000;
