import { getEventListeners } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { turn } from '../../test/fake-clock.js';
import { KeyedQueue } from './keyed-queue.js';

afterEach(() => vi.useRealTimers());

/** Callers that each keep their turn until the test calls `leave`. */
function openDoor(): {
  readonly inside: string[];
  readonly come: (
    name: string,
    options?: { key?: string; signal?: AbortSignal; timeoutMs?: number },
  ) => Promise<string>;
  readonly leave: (name: string) => Promise<void>;
} {
  const turns = new KeyedQueue();
  const inside: string[] = [];
  const leaving = new Map<string, () => void>();
  return {
    inside,
    come: (name, { key = 'record', signal, timeoutMs = 60_000 } = {}) => {
      const work = (): Promise<string> => {
        inside.push(name);
        return new Promise((resolve) => leaving.set(name, () => resolve(name)));
      };
      return turns.run(key, work, { what: 'the record', timeoutMs, signal });
    },
    leave: async (name) => {
      leaving.get(name)!();
      await turn();
    },
  };
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: { code?: string }) => error.code);

test('callers of one key come in one at a time, in order; those of another do not wait for them', async () => {
  const { inside, come, leave } = openDoor();
  const all = ['a', 'b', 'c'].map((name) => come(name));
  void come('other', { key: 'another record' });
  await turn();
  expect(inside).toEqual(['a', 'other']);
  await leave('a');
  expect(inside).toEqual(['a', 'other', 'b']);
  await leave('b');
  await leave('c');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
});

test('a caller who gives up leaves the line: the next one comes in', async () => {
  const { inside, come, leave } = openDoor();
  const stop = new AbortController();
  const first = come('a');
  const given = codeOf(come('b', { signal: stop.signal }));
  const last = come('c');
  stop.abort();
  expect(await given).toBe('cancelled');
  await leave('a');
  expect(inside).toEqual(['a', 'c']);
  await leave('c');
  expect(await Promise.all([first, last])).toEqual(['a', 'c']);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

test('a caller whose time is up leaves the line, too, and is told what was waited for', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { inside, come, leave } = openDoor();
  void come('a');
  const late = come('b', { timeoutMs: 500 }).catch((error: unknown) => error);
  void come('c');
  vi.advanceTimersByTime(499);
  await turn();
  vi.advanceTimersByTime(1);
  expect(await late).toMatchObject({
    code: 'lock-timeout',
    message: 'the record is in use by another call of this program; waited 500 ms',
  });
  await leave('a');
  expect(inside).toEqual(['a', 'c']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a caller who has given up before is not let in, and leaves nobody waiting', async () => {
  const { inside, come, leave } = openDoor();
  expect(await codeOf(come('a', { signal: AbortSignal.abort() }))).toBe('cancelled');
  void come('b');
  await leave('b');
  void come('c');
  await turn();
  expect(inside).toEqual(['b', 'c']);
});

test('work that fails lets the next one in', async () => {
  const turns = new KeyedQueue();
  const options = { what: 'the record', timeoutMs: 60_000 };
  const failing = turns.run('record', () => Promise.reject(new Error('no')), options).catch(String);
  const next = turns.run('record', () => Promise.resolve('in'), options);
  expect([await failing, await next]).toEqual(['Error: no', 'in']);
});
