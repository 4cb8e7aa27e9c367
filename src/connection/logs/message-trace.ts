import { isObject } from '../../base/json.js';
import { gateJson } from '../../model/text/json-gate.js';

/** A message between the host and a server, or an event of their connection, for a person who looks for a fault. */
export interface TracedMessage {
  /** Milliseconds since the run began. */
  readonly ms: number;
  readonly server: string;
  /** Counted from 2: a server's first connection has no number. */
  readonly connection?: number;
  readonly kind: 'request' | 'response' | 'notification' | 'event';
  /** `host`: sent by us. */
  readonly from: 'host' | 'server' | 'pipe';
  /** Of a response: the method of its request. Of an event: its name. */
  readonly method?: string;
  readonly id?: string | number;
  /** Of a response: milliseconds since its request. */
  readonly tookMs?: number;
  readonly isError?: boolean;
  /** The size of the message as recorded, without secrets. */
  readonly bytes: number;
  /** Redacted, and cut where it is very large. */
  readonly message: unknown;
}

/** Makes traced messages of the lines of a recording: finds for each response what it answers. */
export class MessageTrace {
  readonly #open = new Map<string, { readonly method: string; readonly ms: number }>();

  /** Undefined for a line that is none of a connection. What is returned can be shown: it has passed the text gate. */
  take(line: unknown): TracedMessage | undefined {
    const traced = this.#toTraced(line);
    return traced && (gateJson(traced).value as TracedMessage);
  }

  #toTraced(line: unknown): TracedMessage | undefined {
    if (!isObject(line)) return undefined;
    const { ms, server, connection, from, message, event, ...detail } = line;
    if (typeof ms !== 'number' || typeof server !== 'string') return undefined;
    const base = { ms, server, ...(typeof connection === 'number' && { connection }) };
    if (from === 'pipe' && typeof event === 'string') {
      return { ...base, from, kind: 'event', method: event, bytes: sizeOf(detail), message: detail };
    }
    if (from !== 'host' && from !== 'server') return undefined;
    return { ...base, from, bytes: sizeOf(message), message, ...this.#about(message, { ...base, from }) };
  }

  #about(
    message: unknown,
    { ms, server, connection, from }: Sender,
  ): Pick<TracedMessage, 'kind' | 'method' | 'id' | 'tookMs' | 'isError'> {
    const { id, method, error } = isObject(message) ? message : {};
    const isId = typeof id === 'string' || typeof id === 'number';
    if (typeof method === 'string') {
      if (!isId) return { kind: 'notification', method };
      const key = JSON.stringify([server, connection, from, id]);
      if (this.#open.size < OPEN_LIMIT) this.#open.set(key, { method, ms });
      return { kind: 'request', method, id };
    }
    const key = JSON.stringify([server, connection, from === 'host' ? 'server' : 'host', id]);
    const request = this.#open.get(key);
    this.#open.delete(key);
    return {
      kind: 'response',
      ...(isId && { id }),
      ...(request && { method: request.method, tookMs: ms - request.ms }),
      ...(error !== undefined && { isError: true }),
    };
  }
}

type Sender = Pick<TracedMessage, 'ms' | 'server' | 'connection' | 'from'>;

const OPEN_LIMIT = 10_000; // requests that wait for a response; a server that never answers must not fill the memory

function sizeOf(message: unknown): number {
  return Buffer.byteLength(JSON.stringify(message) ?? '');
}
