import { HostError } from '../../base/errors.js';
import type {
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  RequestId,
} from '../../wire/message.js';
import type { NegotiatedProtocol, CloseReason, Pipe, Receiver } from '../../wire/pipe.js';

/** The server's side of a linked pair, with the interface of the official SDK's `Transport`. */
export interface LinkedEnd {
  /** Resolves at once: the pair is linked already. */
  start(): Promise<void>;
  /** Sends to the host; after the end of the connection the message is dropped. */
  send(message: JsonRpcMessage): Promise<void>;
  /** Ends the connection for both sides. */
  close(): Promise<void>;
  /** Set by the server: called for each message of the host. */
  onmessage?: ((message: JsonRpcMessage) => void) | undefined;
  /** Set by the server: called once, when the connection has ended. */
  onclose?: (() => void) | undefined;
  /** Set by the server: called with what its own `onmessage` threw. The connection goes on. */
  onerror?: ((error: Error) => void) | undefined;
}

/**
 * Two ends in one process. Messages are passed by reference through a microtask, so neither side runs inside the
 * other's call, however often they call each other.
 */
export function linkedPair(): { readonly pipe: Pipe; readonly end: LinkedEnd } {
  const link = new Link();
  return { pipe: link, end: link.end };
}

class Link implements Pipe {
  readonly backlog = 0;
  readonly losesSessions = false;
  readonly hasHeaders = false;
  readonly closed: Promise<CloseReason>;
  readonly end: LinkedEnd;
  readonly #toServer = new Sender<JsonRpcMessage>((message) => this.#serve(message));
  readonly #toHost = new Sender<JsonRpcMessage>((message) => void this.#receiver?.message(message));
  #receiver: Receiver | undefined;
  #isOver = false;
  #resolve!: (reason: CloseReason) => void;

  constructor() {
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.end = {
      start: () => Promise.resolve(),
      send: (message) => {
        if (!this.#isOver) this.#toHost.give(message);
        return DONE;
      },
      close: () => this.#close({ kind: 'lost', error: new HostError('connection-closed', 'it closed its end') }),
    };
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  request(request: JsonRpcRequest): void {
    this.#toServer.give(request);
  }

  notify(message: JsonRpcNotification | JsonRpcResponse): Promise<void> {
    this.#toServer.give(message);
    return DONE;
  }

  abandon(_id: RequestId): boolean {
    return false;
  }

  adopt(_agreement: NegotiatedProtocol): void {}

  listen(): void {}

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close({ kind: 'disposed' });
  }

  /** An exception in the server's code goes to its `onerror`; the host goes on. */
  #serve(message: JsonRpcMessage): void {
    try {
      this.end.onmessage?.(message);
    } catch (error) {
      this.end.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #close(reason: CloseReason): Promise<void> {
    if (this.#isOver) return DONE;
    this.#isOver = true;
    this.#toServer.stop();
    this.#toHost.stop();
    this.#resolve(reason);
    queueMicrotask(() => this.end.onclose?.());
    return DONE;
  }
}

/** Delivers messages in order; those of one turn of the event loop share a microtask. */
class Sender<Message> {
  readonly #deliver: (message: Message) => void;
  #bag: Message[] = [];
  #isStopped = false;

  constructor(deliver: (message: Message) => void) {
    this.#deliver = deliver;
  }

  give(message: Message): void {
    if (this.#bag.push(message) === 1) queueMicrotask(this.#run);
  }

  stop(): void {
    this.#isStopped = true;
    this.#bag = [];
  }

  readonly #run = (): void => {
    const bag = this.#bag;
    this.#bag = [];
    for (const message of bag) {
      if (this.#isStopped) return;
      this.#deliver(message);
    }
  };
}

const DONE = Promise.resolve();
