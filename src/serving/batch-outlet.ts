// Batches of 2025-03-26: https://modelcontextprotocol.io/specification/2025-03-26/basic#batching
import type { Incoming } from './incoming.js';
import { JsonRpcFailure } from '../wire/inbound.js';
import type { RequestId } from '../wire/message.js';
import { errorResponseText, INTERNAL_ERROR, type Outlet, type ResponseMessage } from './outgoing.js';

/** Collects the responses to the messages of a batch, which go together as one array. */
export class BatchOutlet {
  readonly #reply: (text: string) => void;
  readonly #send: (text: string) => boolean;
  readonly #responses: string[] = [];
  #size = 0;
  #waiting = 0;
  #isClosed = false;

  constructor(reply: (text: string) => void, send: (text: string) => boolean) {
    this.#reply = reply;
    this.#send = send;
  }

  /** The outlet of its request with this id. */
  part(id: RequestId | null): Outlet {
    this.#waiting++;
    let isOver = false;
    const over = (response?: ResponseMessage): void => {
      if (isOver) return;
      isOver = true;
      this.#waiting--;
      if (response !== undefined) this.#add(String(response), id);
      this.#finish();
    };
    return { send: (text) => this.#send(text), reply: over, drop: () => over() };
  }

  /** All messages have been taken. */
  close(): void {
    this.#isClosed = true;
    this.#finish();
  }

  #add(text: string, id: RequestId | null): void {
    const isTooMuch = this.#size + text.length > SIZE_LIMIT;
    const response = isTooMuch ? errorResponseText(id, TOO_LARGE) : text;
    this.#size += response.length;
    this.#responses.push(response);
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

/** For messages that have no response. */
export const NOWHERE: Outlet = { send: () => false, reply: () => {}, drop: () => {} };

/** All responses together; a client of one message never gets as much. */
const SIZE_LIMIT = 64_000_000; // characters
const TOO_LARGE = new JsonRpcFailure(INTERNAL_ERROR, 'The responses of the batch are too large together');
