// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
import type { LoggedEvent, LoggedStream, StreamReader } from './event-log.js';
import type { SseWriter } from './sse-writer.js';

/**
 * Has a response carry a stream of a legacy session, from the event that its client has read last. To be disposed of when
 * the connection is lost.
 */
export function carryStream(
  stream: LoggedStream,
  writer: SseWriter,
  {
    isPrimed,
    last = stream.firstId,
    missed = [],
  }: {
    /** Whether the client knows events without data, which came with 2025-11-25. */
    readonly isPrimed: boolean;
    readonly last?: string | undefined;
    readonly missed?: readonly LoggedEvent[] | undefined;
  },
): Disposable {
  // Not the id of an event that is still to be written: a client that is cut before it would never ask for it again.
  if (isPrimed) writer.prime(last, RETRY_MS);
  else writer.retry(RETRY_MS);
  writer.replay(missed);
  const carried = new CarriedStream(stream, writer);
  stream.attach(carried);
  return carried;
}

class CarriedStream implements StreamReader, Disposable {
  readonly #stream: LoggedStream;
  readonly #writer: SseWriter;

  constructor(stream: LoggedStream, writer: SseWriter) {
    this.#stream = stream;
    this.#writer = writer;
  }

  event({ id, json }: LoggedEvent): void {
    this.#writer.event(id, json);
  }

  end(last?: LoggedEvent): void {
    this.#writer.end(last?.id, last?.json);
  }

  replaced(): void {
    this.#writer.stop();
  }

  [Symbol.dispose](): void {
    this.#stream.detach(this);
  }
}

/** How long a client waits before it comes back. */
export const RETRY_MS = 1_000;
