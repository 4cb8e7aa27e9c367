import type { Socket } from 'node:net';
import type { EventStream } from '../http/event-stream.js';
import type { Handlers } from '../http/handler-of.js';
import type { ServedRequest } from '../received-messages.js';
import type { HttpHandler, HttpTurn } from '../http/http-turn.js';

export interface SseHandlers extends Handlers<SseHandler> {
  /** Instead of all the rest: somebody has connected, and nothing says that this is HTTP. */
  readonly connection?: (socket: Socket) => unknown;
  /** Instead of the stream of events. */
  readonly get?: HttpHandler;
  /** The stream is open. A good server names the place for messages, and that is all. */
  readonly open?: (turn: StreamTurn) => unknown;
  /** How the message with `attack` is taken. A good server says 202. */
  readonly post?: HttpHandler;
  /** How answers of the host are taken. */
  readonly reply?: HttpHandler;
  /** Its stream is packed with gzip. */
  readonly isPacked?: boolean;
}

export type SseHandler = (turn: SseTurn) => unknown;

/** The one stream on which a server says everything. */
export interface StreamTurn {
  readonly events: EventStream;
  /** The request that the stream is the response to: to cut it off, or to write what is no event. */
  readonly get: HttpTurn;
  /** Where a good server wants its messages. */
  readonly endpoint: string;
  /** Says so, or names another place. */
  readonly name: (place?: string) => Promise<boolean>;
}

/** One request of the host: it came with a POST, and is answered on the stream. */
export interface SseTurn extends ServedRequest, StreamTurn {
  /** Messages, an event each. */
  readonly say: EventStream['say'];
  readonly post: HttpTurn;
}
