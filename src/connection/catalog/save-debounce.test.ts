import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import { SaveDebounce } from './save-debounce.js';

function scene(save: () => Promise<void> = () => Promise.resolve()): {
  clock: FakeClock;
  saves: SaveDebounce;
  savedAt: number[];
} {
  const clock = new FakeClock();
  const savedAt: number[] = [];
  const saves = new SaveDebounce({
    clock,
    save: () => {
      savedAt.push(clock.monotonic() - 1_000);
      return save();
    },
  });
  return { clock, saves, savedAt };
}

test('many changes make one write, and the next one comes much later', async () => {
  const { clock, saves, savedAt } = scene();
  for (let change = 0; change < 100; change++) {
    saves.ask();
    await clock.pass(150);
  }
  await clock.pass(60_000);
  expect(savedAt).toEqual([5_000, 15_000]);
});

test('whoever closes has all of it written, also what changed while it was written', async () => {
  const finishes: (() => void)[] = [];
  const { saves, savedAt } = scene(() => new Promise((resolve) => void finishes.push(resolve)));
  saves.ask();
  let isDone = false;
  const flushed = saves.flush().then(() => (isDone = true));
  await turn();
  saves.ask();
  finishes.shift()!();
  await turn();
  expect([savedAt.length, isDone]).toEqual([2, false]);
  finishes.shift()!();
  await flushed;
  await saves.flush();
  expect(savedAt).toHaveLength(2);
});

test('what is dropped is not written', async () => {
  const { clock, saves, savedAt } = scene();
  saves.ask();
  await saves.drop();
  await clock.pass(60_000);
  await saves.flush();
  expect(savedAt).toEqual([]);
});
