import type { Socket } from 'node:net';
import type { Handlers } from '../http/handler-of.js';
import type { ServedRequest } from '../received-messages.js';
import type { Headers, HttpTurn } from '../http/http-turn.js';
import type { Bytes } from '../write.js';
import type { FrameOptions } from './frame.js';

export interface WsHandlers extends Handlers<WsHandler> {
  /** Instead of all the rest: somebody has connected, and nothing says that this is HTTP. */
  readonly connection?: (socket: Socket) => unknown;
  /** Instead of opening the WebSocket. `head`: what a good server would say. */
  readonly upgrade?: (turn: HttpTurn & { readonly head: Headers }) => unknown;
  /** The WebSocket is open; nothing has been said yet. */
  readonly open?: WsHandler;
  /** A ping or a close of the host; a good server repeats what it says. */
  readonly control?: (turn: WsTurn & { readonly opcode: number; readonly payload: Buffer }) => unknown;
}

export type WsHandler = (turn: WsTurn) => unknown;

/** One request of the host, and everything a bad server needs to answer it badly. */
export interface WsTurn extends ServedRequest, Pick<HttpTurn, 'raw' | 'hangUp' | 'reset'> {
  readonly frame: (payload: Bytes, options?: FrameOptions) => Promise<boolean>;
  /** Messages, a frame of text each. */
  readonly say: (...messages: readonly string[]) => Promise<boolean>;
  /** Closes the WebSocket in good order; the code may be none that there is. */
  readonly close: (code: number, reason?: Bytes) => Promise<boolean>;
  /** Reads nothing any more. */
  readonly deafen: () => void;
}
