import type { JsonObject } from '../base/json.js';
import { onTestFinished } from 'vitest';
import type { HostError } from '../base/errors.js';
import { systemClock } from '../edge/clock.js';
import type { Clock } from '../model/clock.js';
import { type CallOptions, Peer } from '../wire/peer.js';
import type { Pipe } from '../wire/pipe.js';

/** A peer on a pipe that records warnings and notifications. */
export interface PeerScene {
  readonly pipe: Pipe;
  readonly peer: Peer;
  readonly notes: string[];
  readonly notifications: string[];
  call(params?: object, options?: CallOptions): Promise<JsonObject>;
  failure(options?: CallOptions): Promise<HostError>;
}

/** Closed when the test ends. */
export function openPeer(pipe: Pipe, clock: Clock = systemClock): PeerScene {
  const notes: string[] = [];
  const notifications: string[] = [];
  const peer = new Peer(pipe, {
    name: 'x',
    clock,
    onWarning: ({ kind, text }) => void notes.push(`${kind}: ${text}`),
    onNotification: (method) => void notifications.push(method),
  });
  onTestFinished(async () => peer[Symbol.asyncDispose]());
  const call: PeerScene['call'] = (params = {}, options = {}) => peer.request('tools/call', params, options);
  return { pipe, peer, notes, notifications, call, failure: (options) => failureOf(call({}, options)) };
}

/** The error that the promise rejects with. */
export function failureOf(promise: Promise<unknown>): Promise<HostError> {
  return promise.then(
    (value) => Promise.reject(new Error(`came to ${JSON.stringify(value)}`)),
    (error: HostError) => error,
  );
}
