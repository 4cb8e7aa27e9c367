import { addAbortListener, EventEmitter, once, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CallSignal } from './call-signal.js';
import { onAbort } from './on-abort.js';

const REASON = 'the user pressed Escape';

test('a call is cancelled once, and tells the reason', () => {
  const signal = new CallSignal();
  const ran: string[] = [];
  onAbort(signal, () => ran.push('first'));
  onAbort(signal, () => ran.push('second'))[Symbol.dispose]();
  signal.addEventListener('abort', () => ran.push('listener'), { once: true });
  expect([signal.aborted, signal.reason, signal instanceof AbortSignal]).toEqual([false, undefined, true]);
  signal.throwIfAborted();
  signal.abort(REASON);
  signal.abort('again');
  expect([signal.aborted, signal.reason, ran]).toEqual([true, REASON, ['first', 'listener']]);
  expect(() => signal.throwIfAborted()).toThrow(REASON);
  onAbort(signal, () => expect.unreachable());
});

test('a listener that was taken away hears nothing', () => {
  const signal = new CallSignal();
  const heardOf: unknown[] = [];
  const listener = (event: unknown): void => void heardOf.push(event);
  signal.removeEventListener('abort', listener);
  signal.addEventListener('abort', listener);
  signal.removeEventListener('abort', listener);
  signal.abort(REASON);
  expect(heardOf).toEqual([]);
});

/** Resolves with what becomes of something that waits with the signal. */
type Waiting = (signal: AbortSignal) => Promise<unknown>;
const heard: Record<string, Waiting> = {
  onabort: (signal) => new Promise((resolve) => void Reflect.set(signal, 'onabort', resolve)),
  addAbortListener: (signal) => new Promise((resolve) => addAbortListener(signal, resolve)),
  'AbortSignal.any': (signal) =>
    new Promise((resolve) => AbortSignal.any([AbortSignal.timeout(60_000), signal]).addEventListener('abort', resolve)),
  'AbortSignal.any of such a signal': (signal) => {
    const both = AbortSignal.any([AbortSignal.any([signal]), new AbortController().signal]);
    return new Promise((resolve) => onAbort(both, () => resolve(both.reason)));
  },
  'events.once': (signal) => once(new EventEmitter(), 'never', { signal }).catch((error: unknown) => error),
  'timers/promises': (signal) => sleep(60_000, undefined, { signal }).catch((error: unknown) => error),
  fetch: async (signal) => {
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asked = once(server, 'request');
    const { port } = server.address() as AddressInfo;
    const answer = fetch(`http://127.0.0.1:${port}/`, { signal }).catch((error: unknown) => error);
    await asked;
    (signal as CallSignal).abort(REASON);
    return answer.finally(() => {
      server.closeAllConnections();
      server.close();
    });
  },
};

test.each(Object.entries(heard))('%s hears that a call was cancelled', async (_, wait) => {
  const signal = new CallSignal();
  setMaxListeners(50, signal);
  const waiting = wait(signal);
  if (wait !== heard['fetch']) signal.abort(REASON);
  expect(await waiting).toBeDefined();
});
