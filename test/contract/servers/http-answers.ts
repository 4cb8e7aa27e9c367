import type { ServerResponse } from 'node:http';
import { isObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';
import type { Reply } from './fixture-replies.js';

export interface HttpStyle {
  /** How answers come. */
  readonly answers: 'json' | 'events';
  /** Whoever has another is not heard. */
  readonly token?: string;
}

/** The responses of HTTP that are still to be written, by the request that they answer. */
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

  /** False: there is no room for it. `isStream`: it comes in events whatever the style. */
  send(message: unknown, about: RequestId | undefined, isStream = false): boolean {
    const response = this.#open.get(about);
    const inEvents = isStream || this.#style.answers === 'events';
    if (!response || (!inEvents && !isAnswer(message))) return false;
    if (inEvents) {
      this.#begin(response, 'text/event-stream');
      writeEvent(response, message);
      // What comes right behind the answer still belongs to it.
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
    // In the middle of what it says, where it would say it in events.
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
