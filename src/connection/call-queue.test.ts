import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../test/fake-clock.js';
import { HostError } from '../base/errors.js';
import { CallQueue, type QueueWaitOptions } from './call-queue.js';
import type { Connection } from './connect.js';

const LIMIT = 10_000;
const link = {} as Connection; // the queue only passes the connection on

function open(): {
  readonly queue: CallQueue;
  readonly clock: FakeClock;
  /** Resolves to `went`, or to the code of the call's error. */
  readonly wait: (options?: QueueWaitOptions) => Promise<string>;
} {
  const clock = new FakeClock();
  const queue = new CallQueue('db', clock);
  const wait = (options: QueueWaitOptions = {}): Promise<string> =>
    queue.wait(options).then(
      () => 'went',
      (error: HostError) => error.code,
    );
  return { queue, clock, wait };
}

test('ten thousand calls wait for a server that is away; one more is refused, and has a place when another leaves', async () => {
  const { queue, wait } = open();
  const stop = new AbortController();
  const first = wait({ signal: stop.signal });
  const others = Array.from({ length: LIMIT - 1 }, () => wait());
  expect(queue.size).toBe(LIMIT);
  // A call that the queue accepts waits for ever, so the refusal races one turn of the event loop.
  const refused = await Promise.race([queue.wait({}).catch((error: unknown) => error), turn()]);
  expect(refused).toMatchObject({
    code: 'overloaded',
    message: '10000 calls wait for server "db" already',
    hint: 'See what keeps it away: plugboard doctor db',
  });
  expect(queue.size).toBe(LIMIT);
  stop.abort();
  expect(await first).toBe('cancelled');
  const last = wait();
  expect(queue.size).toBe(LIMIT);
  queue.flush(link);
  expect(new Set(await Promise.all([...others, last]))).toEqual(new Set(['went']));
  expect(queue.size).toBe(0);
});

test('calls go on in the order in which they came', async () => {
  const { queue } = open();
  const order: number[] = [];
  const all = [1, 2, 3].map((number) => queue.wait({}).then(() => order.push(number)));
  queue.flush(link);
  await Promise.all(all);
  expect(order).toEqual([1, 2, 3]);
});

test('a call waits as long as it may take, and leaves no timer and no listener behind', async () => {
  const { queue, clock, wait } = open();
  const stop = new AbortController();
  const late = wait({ timeoutMs: 500, signal: stop.signal });
  const diagnosed = wait({ timeoutMs: Infinity });
  const flushed = wait({ timeoutMs: 10_000, signal: stop.signal });
  await clock.pass(499);
  expect(queue.size).toBe(3);
  await clock.pass(1_000);
  expect(await late).toBe('call-timeout');
  queue.flush(link);
  expect([await diagnosed, await flushed]).toEqual(['went', 'went']);
  expect([clock.timers, getEventListeners(stop.signal, 'abort').length]).toEqual([0, 0]);
});

test('a server that will not come back fails all that wait; who is cancelled before does not wait', async () => {
  const { queue, wait } = open();
  expect(await wait({ signal: AbortSignal.abort() })).toBe('cancelled');
  const all = [wait(), wait()];
  queue.fail(new HostError('start-failed', 'gone'));
  expect(await Promise.all(all)).toEqual(['start-failed', 'start-failed']);
  expect(queue.size).toBe(0);
});

test('the program goes on while a call waits, and not longer', async () => {
  const { queue, clock, wait } = open();
  let held = 0;
  clock.hold = () => {
    held++;
    return { [Symbol.dispose]: () => void held-- };
  };
  const stop = new AbortController();
  const first = wait({ signal: stop.signal });
  const second = wait();
  expect(held).toBe(1);
  stop.abort();
  await first;
  expect(held).toBe(1);
  queue.flush(link);
  await second;
  expect(held).toBe(0);
});
