import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../test/fake-clock.js';
import { within } from './within.js';

type Happening = 'value' | 'error' | 'abort' | 'timeout';

/** Checks how the wait ends when these things happen in this order, and that nothing is left behind after the first. */
async function check(happenings: readonly Happening[], expected: string, isAborted = false): Promise<void> {
  const clock = new FakeClock();
  const stop = new AbortController();
  if (isAborted) stop.abort();
  let settle: { readonly value: (text: string) => void; readonly error: (error: Error) => void };
  const work = new Promise<string>((value, error) => (settle = { value, error }));
  const ending = within(work, {
    signal: stop.signal,
    deadline: (expire) => clock.after(100, expire),
    instead: (why) => {
      if (why === 'timeout') throw new Error('it took too long');
      return why;
    },
  }).catch((error: unknown) => String(error));
  for (const happening of happenings) {
    if (happening === 'value') settle!.value('a value');
    if (happening === 'error') settle!.error(new Error('an error'));
    if (happening === 'abort') stop.abort();
    if (happening === 'timeout') await clock.pass(100);
    await turn();
    expect([clock.timers, getEventListeners(stop.signal, 'abort').length]).toEqual([0, 0]);
  }
  expect(await ending).toBe(expected);
}

test.each<[Happening[], string]>([
  [['value', 'abort', 'timeout'], 'a value'],
  [['error', 'abort', 'timeout'], 'Error: an error'],
  [['abort', 'timeout', 'error'], 'aborted'],
  [['timeout', 'abort', 'error'], 'Error: it took too long'],
])('of %j only the first counts, and no timer or listener outlives it', (happenings, expected) =>
  check(happenings, expected),
);

test('a signal that has aborted already starts no time; a later rejection of the work is heard', () =>
  check(['error'], 'aborted', true));

test('without a signal and a deadline the promise itself is waited for', () => {
  const work = Promise.resolve(1);
  expect(within(work, { signal: undefined, instead: () => 2 })).toBe(work);
});

test('what comes instead may take its time', async () => {
  const work = new Promise<never>(() => {});
  const ending = within(work, { signal: AbortSignal.abort(), instead: () => turn().then(() => 'put away') });
  expect(await ending).toBe('put away');
});
