import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import { RefreshThrottle } from './refresh-throttle.js';

interface Scene {
  readonly clock: FakeClock;
  readonly throttle: RefreshThrottle<string>;
  /** Each refresh that began, with its start time. */
  readonly begun: [string, number][];
  /** Ends the oldest refresh in flight. */
  readonly end: () => Promise<void>;
}

function scene({ isSlow = false } = {}): Scene {
  const clock = new FakeClock();
  const begun: [string, number][] = [];
  const open: (() => void)[] = [];
  const throttle = new RefreshThrottle<string>({
    clock,
    refresh: (key) => {
      begun.push([key, clock.monotonic() - 1_000]);
      return isSlow ? new Promise((resolve) => void open.push(resolve)) : Promise.resolve();
    },
  });
  const end = async (): Promise<void> => {
    open.shift()?.();
    await turn();
  };
  return { clock, throttle, begun, end };
}

test('the first change is looked at once, the others twice a second, the last one always', async () => {
  const { clock, throttle, begun } = scene();
  for (let note = 0; note < 10_000; note++) throttle.ask(['tools']);
  await turn();
  for (let step = 0; step < 12; step++) {
    throttle.ask(['tools']);
    await clock.pass(100);
  }
  await clock.pass(5_000);
  expect(begun).toEqual([0, 500, 1_000, 1_500].map((at) => ['tools', at]));
});

test('a change during a fetch is fetched once more, however many there were', async () => {
  const { clock, throttle, begun, end } = scene({ isSlow: true });
  throttle.ask(['tools']);
  await clock.pass(2_000);
  throttle.ask(['tools']);
  throttle.ask(['tools']);
  await clock.pass(2_000);
  expect(begun).toHaveLength(1);
  await end();
  expect(begun).toEqual([
    ['tools', 0],
    ['tools', 4_000],
  ]);
  await end();
  await clock.pass(2_000);
  expect(begun).toHaveLength(2);
});

test('a list that hangs does not hold up the others', async () => {
  const { clock, throttle, begun } = scene({ isSlow: true });
  throttle.ask(['tools']);
  throttle.ask(['tools', 'prompts']);
  await clock.pass(1_000);
  expect(begun).toEqual([
    ['tools', 0],
    ['prompts', 500],
  ]);
});

test('those who want it now share one fetch that begins after they asked', async () => {
  const { throttle, begun, end } = scene({ isSlow: true });
  const first = throttle.now(['tools']);
  const second = throttle.now(['tools']);
  const third = throttle.now(['tools']);
  expect(begun).toHaveLength(1);
  await end();
  await first;
  expect(begun).toHaveLength(2);
  await end();
  await Promise.all([second, third]);
  expect(begun).toHaveLength(2);
});

test('whoever wants one list now does not take the others from those who wait for them', async () => {
  const { clock, throttle, begun } = scene();
  await throttle.now(['tools']);
  throttle.ask(['tools', 'prompts']);
  await throttle.now(['tools']);
  await clock.pass(1_000);
  expect(begun).toEqual([
    ['tools', 0],
    ['tools', 0],
    ['prompts', 500],
  ]);
});

test('after the end nothing begins any more', async () => {
  const { clock, throttle, begun } = scene();
  throttle.ask(['tools']);
  throttle.ask(['tools', 'prompts']);
  throttle.stop();
  await clock.pass(1_000);
  await throttle.now(['tools']);
  expect(begun).toHaveLength(1);
  expect(clock.timers).toBe(0);
});
