// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
import type { LoggedEvent, LoggedStream, StreamReader } from './event-log.js';
import type { SseWriter } from './sse-writer.js';

/**
 * Has a response carryStream a stream of a legacy session: first what its client has missed, or the id to come back with. To
 * be disposed of when the connection is lost.
 */
export function carryStream(stream: LoggedStream, writer: SseWriter, missed: readonly LoggedEvent[] = []): Disposable {
  writer.prime(missed.at(-1) === undefined ? lastIdOf(stream) : missed[0]!.id, RETRY_MS);
  for (const { id, json } of missed) writer.event(id, json);
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

  end(): void {
    this.#writer.end();
  }

  replaced(): void {
    this.#writer.end();
  }

  [Symbol.dispose](): void {
    this.#stream.detach(this);
  }
}

/** Nothing before it is asked for again. */
function lastIdOf(stream: LoggedStream): string {
  return stream.last === 0 ? stream.firstId : `${stream.id}-${stream.last}`;
}

/** How long a client waits before it comes back. */
export const RETRY_MS = 1_000;
