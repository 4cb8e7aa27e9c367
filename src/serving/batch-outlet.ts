// Batches of 2025-03-26: https://modelcontextprotocol.io/specification/2025-03-26/basic#batching
import type { Incoming } from './incoming.js';
import type { Outlet } from './outgoing.js';

/** Collects the responses to the messages of a batch, which go together as one array. */
export class BatchOutlet {
  readonly #reply: (text: string) => void;
  readonly #send: (text: string) => boolean;
  readonly #responses: string[] = [];
  #waiting = 0;
  #isClosed = false;

  constructor(reply: (text: string) => void, send: (text: string) => boolean) {
    this.#reply = reply;
    this.#send = send;
  }

  /** The outlet of one of its requests. */
  part(): Outlet {
    this.#waiting++;
    let isOver = false;
    const over = (text?: string): void => {
      if (isOver) return;
      isOver = true;
      this.#waiting--;
      if (text !== undefined) this.#responses.push(text);
      this.#finish();
    };
    return { send: (text) => this.#send(text), reply: over, drop: () => over() };
  }

  /** All messages have been taken. */
  close(): void {
    this.#isClosed = true;
    this.#finish();
  }

  #finish(): void {
    if (this.#isClosed && this.#waiting === 0 && this.#responses.length > 0)
      this.#reply(`[${this.#responses.join(',')}]`);
  }
}

/** Whether there will be a response: a batch of notifications alone has none. */
export function wantsResponse(messages: readonly Incoming[]): boolean {
  return messages.some(({ kind }) => kind === 'request' || kind === 'invalid');
}
