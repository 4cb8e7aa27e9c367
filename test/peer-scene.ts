import { FakeClock } from './fake-clock.js';
import { HostError } from '../src/base/errors.js';
import { type LinkedEnd, linkedPair } from '../src/transports/in-process/in-process-pipe.js';
import type { JsonRpcMessage } from '../src/wire/message.js';
import { Peer, type PeerOptions } from '../src/wire/peer.js';
import type { Pipe } from '../src/wire/pipe.js';

export interface Scene {
  readonly peer: Peer;
  readonly pipe: Pipe;
  readonly end: LinkedEnd;
  readonly clock: FakeClock;
  /** What the host sent, in order. */
  readonly seen: Sent[];
  /** Sends anything to the host, also what is no JSON-RPC message. */
  readonly say: (message: unknown) => void;
}

export interface Sent {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly error?: { readonly code: number };
  readonly result?: unknown;
}

/** A peer and the server's end of its pipe. */
export function scene(options: Partial<PeerOptions> = {}): Scene {
  const { pipe, end } = linkedPair();
  const clock = new FakeClock();
  const seen: Sent[] = [];
  Object.assign(end, { onmessage: (message: JsonRpcMessage) => void seen.push(message as Sent) });
  const peer = new Peer(pipe, { name: 'db', clock, ...options });
  return { peer, pipe, end, clock, seen, say: (message) => void end.send(message as JsonRpcMessage) };
}

/** The error that the promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<HostError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof HostError) return error;
  throw new Error(`expected a HostError, got ${String(error)}`);
}
