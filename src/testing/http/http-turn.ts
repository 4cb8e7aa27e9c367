import type { Socket } from 'node:net';
import type { EventStream } from './event-stream.js';
import type { Handlers } from './handler-of.js';
import type { ServedRequest } from '../received-messages.js';
import type { Bytes } from '../write.js';

export interface HttpHandlers extends Handlers<HttpHandler> {
  /** Instead of all the rest: somebody has connected, and nothing says that this is HTTP. */
  readonly connection?: (socket: Socket) => unknown;
  /** Instead of the answer to any message. */
  readonly post?: HttpHandler;
  /** `notifications/initialized`, which is only to be accepted. */
  readonly initialized?: HttpHandler;
  /** The stream for what nobody asked for; a good server here has none and says 405. */
  readonly get?: HttpHandler;
  readonly delete?: HttpHandler;
  /** How answers of the host are taken. */
  readonly reply?: HttpHandler;
  /** Looks at every request to the server's own address first. What it says is the answer then. */
  readonly admit?: (turn: HttpTurn) => Reply | undefined;
  /** Whatever is asked for at another address of the same origin; without it every path is the server's. */
  readonly elsewhere?: HttpHandler;
  /** How good answers come. JSON unless it is said. */
  readonly style?: 'json' | 'sse';
}

export type HttpHandler = (turn: HttpTurn) => unknown;

/** One request of the host, and everything a bad server needs to answer it badly. */
export interface HttpTurn extends ServedRequest {
  readonly incoming: IncomingRequest;
  /** Bytes onto the socket as they are, HTTP or not. False: the host is gone. */
  readonly raw: (bytes: Bytes) => Promise<boolean>;
  readonly reply: (reply: Reply) => Promise<boolean>;
  /** 200 with this JSON. */
  readonly json: (text: Bytes, headers?: Headers) => Promise<boolean>;
  /** 200 with events to come. */
  readonly stream: (headers?: Headers) => Promise<EventStream>;
  /** Ends the connection in good order, once everything is sent. */
  readonly hangUp: () => void;
  /** Ends it with a TCP reset. */
  readonly reset: () => void;
  /** Our own address. */
  readonly url: string;
  /** The address of something that counts who comes. */
  readonly trap: string;
}

export interface Reply {
  readonly status: number;
  readonly reason?: string;
  readonly headers?: Headers;
  readonly body?: Bytes;
}

export type Headers = Readonly<Record<string, string>>;

export interface IncomingRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Headers;
  readonly body: string;
}
