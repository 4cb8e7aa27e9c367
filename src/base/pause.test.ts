import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../test/fake-clock.js';
import { pause } from './pause.js';

test.each<[string, number, boolean, boolean]>([
  ['before its time', 99, false, false],
  ['when its time is up', 100, false, true],
  ['when the signal aborts', 0, true, true],
])('%s (%i ms, aborted: %s) a pause is over: %s', async (_, ms, isAborted, isOver) => {
  const clock = new FakeClock();
  const stop = new AbortController();
  let hasEnded = false;
  void pause(100, { clock, signal: stop.signal }).then(() => (hasEnded = true));
  await clock.pass(ms);
  if (isAborted) stop.abort();
  await turn();
  const left = isOver ? 0 : 1;
  expect([hasEnded, clock.timers, getEventListeners(stop.signal, 'abort').length]).toEqual([isOver, left, left]);
});

test('a pause whose signal has aborted already is none, and without a signal it lasts', async () => {
  const clock = new FakeClock();
  await pause(100, { clock, signal: AbortSignal.abort() });
  expect(clock.timersSet).toBe(0);
  const ending = pause(100, { clock });
  await clock.pass(100);
  await ending;
});
