import type { Socket } from 'node:net';
import type { Handlers } from '../http/handler-of.js';
import type { ServedRequest } from '../received-messages.js';
import type { Headers, HttpTurn } from '../http/http-turn.js';
import type { Bytes } from '../write.js';
import type { FrameOptions } from './frame.js';

/** What a server over WebSocket does. */
export interface WsHandlers extends Handlers<WsHandler> {
  /** Gets the raw socket, instead of all other handlers: the server may speak something else than HTTP. */
  readonly connection?: (socket: Socket) => unknown;
  /** Answers the upgrade, instead of opening the WebSocket. `head`: the headers of a healthy server. */
  readonly upgrade?: (turn: HttpTurn & { readonly head: Headers }) => unknown;
  /** Runs when the WebSocket is open, before the first message. */
  readonly open?: WsHandler;
  /** Handles a ping or a close from the host; a healthy server echoes its payload. */
  readonly control?: (turn: WsTurn & { readonly opcode: number; readonly payload: Buffer }) => unknown;
}

/** Answers a message to a server over WebSocket. */
export type WsHandler = (turn: WsTurn) => unknown;

/** One request from the host, with the means to answer it badly. */
export interface WsTurn extends ServedRequest, Pick<HttpTurn, 'raw' | 'hangUp' | 'reset'> {
  readonly frame: (payload: Bytes, options?: FrameOptions) => Promise<boolean>;
  /** Sends each message as a text frame. */
  readonly say: (...messages: readonly string[]) => Promise<boolean>;
  /** Closes the WebSocket properly; the code may be invalid. */
  readonly close: (code: number, reason?: Bytes) => Promise<boolean>;
  /** Stops reading. */
  readonly deafen: () => void;
}
