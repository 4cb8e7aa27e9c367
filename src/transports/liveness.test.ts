import { expect, test } from 'vitest';
import { FakeClock } from '../../test/fake-clock.js';
import { Liveness } from './liveness.js';

interface Scene {
  readonly clock: FakeClock;
  readonly liveness: Liveness;
  /** When it pinged and when it gave up, in seconds. */
  readonly told: string[];
  isHeld: boolean;
}

function scene(silenceMs = 30_000): Scene {
  const clock = new FakeClock();
  const began = clock.monotonic();
  const tell = (what: string): void => void found.told.push(`${what} ${(clock.monotonic() - began) / 1000}`);
  const liveness = new Liveness({
    clock,
    silenceMs,
    responseTimeoutMs: 10_000,
    isHeld: () => found.isHeld,
    ask: () => tell('ping'),
    dead: () => tell('dead'),
  });
  const found: Scene = { clock, liveness, told: [], isHeld: false };
  return found;
}

test('silence is asked about after 30 s, and believed after 10 more', async () => {
  const { clock, told } = scene();
  await clock.pass(100_000);
  expect(told).toEqual(['ping 30', 'dead 40']);
  expect(clock.timers).toBe(0);
});

test('whatever comes in counts from when it came', async () => {
  const { clock, told, liveness } = scene();
  for (const at of [20_000, 5_000]) {
    await clock.pass(at);
    liveness.messageReceived();
  }
  await clock.pass(29_000);
  expect(told).toEqual([]);
  await clock.pass(2_000);
  liveness.messageReceived();
  await clock.pass(39_000);
  expect(told).toEqual(['ping 55', 'ping 86']);
});

test('an answer that lay waiting while the event loop was busy is an answer', async () => {
  const { clock, told, liveness } = scene();
  await clock.pass(30_000);
  const passing = clock.pass(10_000); // the timer has fired; bytes that arrived meanwhile are read next
  liveness.messageReceived();
  await passing;
  expect(told).toEqual(['ping 30']);
});

test('who does not read cannot hear, and blames nobody', async () => {
  const found = scene();
  const { clock, told } = found;
  found.isHeld = true;
  await clock.pass(300_000);
  expect(told).toEqual([]);
  found.isHeld = false;
  await clock.pass(30_000);
  found.isHeld = true;
  await clock.pass(60_000);
  expect(told).toEqual([expect.stringMatching(/^ping/u)]);
});

test('one that is stopped says nothing more', async () => {
  const { clock, told, liveness } = scene();
  await clock.pass(30_000);
  liveness.stop();
  liveness.messageReceived();
  await clock.pass(300_000);
  expect(told).toEqual(['ping 30']);
  expect(clock.timers).toBe(0);
});

const LATE = { isTimedOut: true, others: 0 };

test('somebody who waited in vain has it found out at once, unless something was heard a moment ago', async () => {
  const { clock, told, liveness } = scene(Infinity);
  await clock.pass(900);
  liveness.onUnanswered(LATE);
  expect(told).toEqual([]);
  await clock.pass(1_100);
  liveness.onUnanswered(LATE);
  liveness.onUnanswered(LATE);
  expect(told).toEqual(['ping 2']);
  await clock.pass(3_000);
  liveness.messageReceived();
  await clock.pass(100_000);
  expect(told).toEqual(['ping 2']);
  liveness.onUnanswered(LATE);
  await clock.pass(4_000);
  expect(told).toEqual(['ping 2', 'ping 105', 'dead 109']);
  expect(clock.timers).toBe(0);
});

test('who has thought better of it suspects nobody, and a server with others to serve gets more time', async () => {
  const { clock, told, liveness } = scene(Infinity);
  await clock.pass(5_000);
  liveness.onUnanswered({ isTimedOut: false, others: 0 });
  expect(told).toEqual([]);
  liveness.onUnanswered({ isTimedOut: true, others: 3 });
  await clock.pass(29_000);
  expect(told).toEqual(['ping 5']);
  await clock.pass(1_000);
  expect(told).toEqual(['ping 5', 'dead 35']);
});

test('when the last of several gives up, there is nobody left to be patient for', async () => {
  const { clock, told, liveness } = scene(Infinity);
  await clock.pass(5_000);
  liveness.onUnanswered({ isTimedOut: true, others: 1 });
  liveness.onUnanswered({ isTimedOut: true, others: 0 });
  await clock.pass(4_000);
  expect(told).toEqual(['ping 5', 'dead 9']);
});
