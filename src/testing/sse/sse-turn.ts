import type { Socket } from 'node:net';
import type { EventStream } from '../http/event-stream.js';
import type { Handlers } from '../http/handler-of.js';
import type { ServedRequest } from '../received-messages.js';
import type { HttpHandler, HttpTurn } from '../http/http-turn.js';

/** What a server over HTTP with SSE does. */
export interface SseHandlers extends Handlers<SseHandler> {
  /** Gets the raw socket, instead of all other handlers: the server may speak something else than HTTP. */
  readonly connection?: (socket: Socket) => unknown;
  /** Answers the GET, instead of the stream of events. */
  readonly get?: HttpHandler;
  /** Runs when the stream is open. A healthy server only sends the `endpoint` event. */
  readonly open?: (turn: StreamTurn) => unknown;
  /** Answers the POST that carries `attack`. A healthy server replies 202. */
  readonly post?: HttpHandler;
  /** Answers a POST that carries the host's response to a request of the server. */
  readonly reply?: HttpHandler;
  /** Compresses the stream with gzip. */
  readonly isPacked?: boolean;
}

/** Answers a message to a server over HTTP with SSE. */
export type SseHandler = (turn: SseTurn) => unknown;

/** The one stream on which a server sends all its messages. */
export interface StreamTurn {
  readonly events: EventStream;
  /** The GET that the stream answers: to cut it off, or to write bytes that are no event. */
  readonly get: HttpTurn;
  /** The address that a healthy server names for messages. */
  readonly endpoint: string;
  /** Sends the `endpoint` event, with this address or the healthy one. */
  readonly name: (place?: string) => Promise<boolean>;
}

/** One request from the host: it came with a POST, and is answered on the stream. */
export interface SseTurn extends ServedRequest, StreamTurn {
  /** Sends each message as an event. */
  readonly say: EventStream['say'];
  readonly post: HttpTurn;
}
