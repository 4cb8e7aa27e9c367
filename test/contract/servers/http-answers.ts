import type { ServerResponse } from 'node:http';
import { isObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';
import type { Reply } from './fixture-replies.js';

export interface HttpStyle {
  readonly answers: 'json' | 'events';
  /** The bearer token that every request must have; others get 401. */
  readonly token?: string;
}

/** Open HTTP responses, by request. */
export class HttpAnswers {
  readonly #style: HttpStyle;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #breakOff: () => void;
  readonly #open = new Map<unknown, ServerResponse>();

  constructor(style: HttpStyle, headers: Readonly<Record<string, string>>, breakOff: () => void) {
    this.#style = style;
    this.#headers = headers;
    this.#breakOff = breakOff;
  }

  add(id: unknown, response: ServerResponse): void {
    this.#open.set(id, response);
  }

  /** Returns false when the message has no place in a response. `isStream`: sends events whatever the style. */
  send(message: unknown, about: RequestId | undefined, isStream = false): boolean {
    const response = this.#open.get(about);
    const inEvents = isStream || this.#style.answers === 'events';
    if (!response || (!inEvents && !isAnswer(message))) return false;
    if (inEvents) {
      this.#begin(response, 'text/event-stream');
      writeEvent(response, message);
      // Messages sent right after the response still go into the same stream.
      if (isAnswer(message)) setImmediate(() => this.#open.delete(about) && response.end());
    } else {
      this.#begin(response, 'application/json');
      response.end(JSON.stringify(message));
      this.#open.delete(about);
    }
    return true;
  }

  respond(about: RequestId, { status, type, body = '' }: Reply): void {
    this.#open
      .get(about)
      ?.writeHead(status, type === undefined ? {} : { 'Content-Type': type })
      .end(body);
    this.#open.delete(about);
  }

  die(): void {
    // Event streams break off after their headers.
    for (const response of this.#style.answers === 'events' ? this.#open.values() : []) {
      this.#begin(response, 'text/event-stream');
      response.flushHeaders();
    }
    this.#breakOff();
  }

  #begin(response: ServerResponse, type: string): void {
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': type, ...this.#headers });
  }
}

export function isAnswer(message: unknown): boolean {
  return !isObject(message) || message['method'] === undefined;
}

export function writeEvent(response: ServerResponse, message: unknown): void {
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}
