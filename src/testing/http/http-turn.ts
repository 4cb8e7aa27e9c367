import type { Socket } from 'node:net';
import type { EventStream } from './event-stream.js';
import type { Handlers } from './handler-of.js';
import type { ServedRequest } from '../received-messages.js';
import type { Bytes } from '../write.js';

/** What a server over HTTP does. */
export interface HttpHandlers extends Handlers<HttpHandler> {
  /** Gets the raw socket, instead of all other handlers: the server may speak something else than HTTP. */
  readonly connection?: (socket: Socket) => unknown;
  /** Answers every POST, whatever message it carries. */
  readonly post?: HttpHandler;
  /** Answers `notifications/initialized`; a healthy server replies 202. */
  readonly initialized?: HttpHandler;
  /** Answers the GET for the stream of unsolicited messages; a healthy server here replies 405. */
  readonly get?: HttpHandler;
  readonly delete?: HttpHandler;
  /** Answers a POST that carries the host's response to a request of the server. */
  readonly reply?: HttpHandler;
  /** Sees every request to the server's own path first. If it returns a reply, that is the answer. */
  readonly admit?: (turn: HttpTurn) => Reply | undefined;
  /** Answers requests to other paths of the same origin; without this handler every path is the server's. */
  readonly elsewhere?: HttpHandler;
  /** The format of healthy responses; `json` by default. */
  readonly style?: 'json' | 'sse';
}

/** Answers a request to a server over HTTP. */
export type HttpHandler = (turn: HttpTurn) => unknown;

/** One request from the host, with the means to answer it badly. */
export interface HttpTurn extends ServedRequest {
  readonly incoming: IncomingRequest;
  /** Writes bytes to the socket unchanged, HTTP or not. Resolves with false when the host is gone. */
  readonly raw: (bytes: Bytes) => Promise<boolean>;
  readonly reply: (reply: Reply) => Promise<boolean>;
  /** Replies 200 with this JSON. */
  readonly json: (text: Bytes, headers?: Headers) => Promise<boolean>;
  /** Replies 200 and opens a stream of events. */
  readonly stream: (headers?: Headers) => Promise<EventStream>;
  /** Ends the connection properly, after all bytes are sent. */
  readonly hangUp: () => void;
  /** Ends the connection with a TCP reset. */
  readonly reset: () => void;
  /** The server's own URL. */
  readonly url: string;
  /** The URL of a server that counts every request as `strayed`. */
  readonly trap: string;
}

/** An HTTP response. */
export interface Reply {
  readonly status: number;
  readonly reason?: string;
  readonly headers?: Headers;
  readonly body?: Bytes;
}

/** HTTP headers by name. */
export type Headers = Readonly<Record<string, string>>;

/** A request that a server has received. */
export interface IncomingRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Headers;
  readonly body: string;
}
