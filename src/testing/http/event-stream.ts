import type { Bytes } from '../write.js';

/** Server-sent events in HTTP chunks: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface EventStream {
  /** Sends each message as an event. */
  readonly say: (...messages: readonly string[]) => Promise<boolean>;
  /** Sends one event; `fields` come before its data. */
  readonly event: (data: string, fields?: EventFields) => Promise<boolean>;
  /** Sends bytes of the stream unchanged, in a chunk of their own. */
  readonly text: (bytes: Bytes) => Promise<boolean>;
  /** Ends the stream properly, with the last chunk. */
  readonly end: () => Promise<boolean>;
}

/** Fields of a server-sent event besides its data. */
export interface EventFields {
  readonly event?: string;
  readonly id?: string;
  readonly retry?: number;
}

/** `pack` transforms the bytes of each chunk, for example with gzip. */
export function eventStream(
  raw: (bytes: Bytes) => Promise<boolean>,
  pack: (bytes: Bytes) => Bytes = (bytes) => bytes,
): EventStream {
  const text: EventStream['text'] = (bytes) => raw(chunk(pack(bytes)));
  return {
    text,
    say: (...messages) => text(messages.map((message) => toEvent(message)).join('')),
    event: (data, fields = {}) => text(toEvent(data, fields)),
    end: () => raw('0\r\n\r\n'),
  };
}

export function toEvent(data: string, fields: EventFields = {}): string {
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  return `${head.join('')}data: ${data}\n\n`;
}

/** One chunk of a body whose length is not announced: RFC 9112, section 7.1. */
export function chunk(bytes: Bytes): Buffer {
  const body = Buffer.from(bytes);
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
}
