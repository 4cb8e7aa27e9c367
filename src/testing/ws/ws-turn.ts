import type { Socket } from 'node:net';
import type { Ask } from '../healthy.js';
import type { Hear } from '../hearing.js';
import type { Headers, HttpTurn } from '../http-turn.js';
import type { Bytes } from '../write.js';
import type { FrameOptions } from './frame.js';

/** Where a mode does otherwise than a good server would. What is absent is done well. */
export interface WsHandlers {
  /** Instead of all the rest: somebody has connected, and nothing says that this is HTTP. */
  readonly connection?: (socket: Socket) => unknown;
  /** Instead of opening the WebSocket. `head`: what a good server would say. */
  readonly upgrade?: (turn: HttpTurn & { readonly head: Headers }) => unknown;
  /** The WebSocket is open; nothing has been said yet. */
  readonly open?: WsHandler;
  readonly initialize?: WsHandler;
  readonly list?: WsHandler;
  /** `tools/call attack`. */
  readonly attack?: WsHandler;
  /** Other requests, by their method. */
  readonly methods?: Readonly<Record<string, WsHandler>>;
  /** A ping or a close of the host; a good server repeats what it says. */
  readonly control?: (turn: WsTurn & { readonly opcode: number; readonly payload: Buffer }) => unknown;
}

export type WsHandler = (turn: WsTurn) => unknown;

/** One request of the host, and everything a bad server needs to answer it badly. */
export interface WsTurn extends Ask {
  /** Bytes onto the socket as they are, frames or not. False: the host is gone. */
  readonly raw: (bytes: Bytes) => Promise<boolean>;
  readonly frame: (payload: Bytes, options?: FrameOptions) => Promise<boolean>;
  /** Messages, a frame of text each. */
  readonly say: (...messages: readonly string[]) => Promise<boolean>;
  /** Closes the WebSocket in good order; the code may be none that there is. */
  readonly close: (code: number, reason?: Bytes) => Promise<boolean>;
  /** Ends the connection, and says nothing over the WebSocket. */
  readonly hangUp: () => void;
  /** Ends it with a TCP reset. */
  readonly reset: () => void;
  /** Reads nothing any more. */
  readonly deafen: () => void;
  readonly hear: Hear;
  readonly count: (what: string) => void;
  readonly gone: AbortSignal;
}
