import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Interrupts } from './interrupts.js';
import { KeyRouter } from './key-router.js';
import { KeyDecoder } from './keys.js';
import type { KeyHandler } from './key-handler.js';

/** A router and its keys; `taken` lists which handler took which key. */
function openScene() {
  let now = 0;
  const taken: string[] = [];
  const interrupts = new Interrupts({ now: () => now, leave: () => taken.push('leave') });
  const delegate = new KeyRouter({ now: () => now, interrupts });
  const decoder = new KeyDecoder((key) => delegate.key(key));
  const size = { columns: 80, rows: 24 };
  return {
    delegate,
    taken,
    interrupts,
    keyHandler: (name: string): KeyHandler => ({
      draw: () => ({ rows: [name] }),
      key: (key) => void taken.push(`${name} ${key.name}`),
      end: () => void taken.push(`${name} ends`),
    }),
    type: (text: string): void => {
      decoder.push(Buffer.from(text));
      decoder.settle();
    },
    wait: (ms: number): void => void (now += ms),
    /** Resolves when the first question is on the screen and all earlier keys are read. */
    seen: async (): Promise<void> => {
      delegate.draw(size);
      delegate.wasDrawn();
      for (let count = 0; count < 3; count++) await turn();
    },
  };
}

test('a key that was pressed before a question could be seen is no answer to it, and is not lost', async () => {
  const { delegate, taken, keyHandler, type, seen, wait } = openScene();
  delegate.addQuestion(keyHandler('question'));
  type('y');
  expect([taken, delegate.ahead.take()]).toEqual([[], 'y']);
  await seen();
  wait(500);
  type('n');
  expect(taken).toEqual(['question n']);
});

test('whoever is in the middle of a word goes on with it, and a pause ends it', async () => {
  const { delegate, taken, keyHandler, type, seen, wait } = openScene();
  const prompt = keyHandler('prompt');
  delegate.addPrompt(prompt);
  await seen();
  type('he');
  const question = keyHandler('question');
  delegate.addQuestion(question);
  await seen();
  wait(200);
  type('y');
  wait(300);
  type('n');
  wait(500);
  type('y');
  delegate.remove(question);
  type('o');
  expect(taken).toEqual(['prompt h', 'prompt e', 'prompt y', 'prompt n', 'question y', 'prompt o']);
});

test('a prompt that makes room for a question takes the rest of the word with it', async () => {
  const { delegate, taken, keyHandler, type, seen, wait } = openScene();
  const prompt = keyHandler('prompt');
  delegate.addPrompt(prompt);
  await seen();
  type('he');
  delegate.remove(prompt);
  const question = keyHandler('question');
  delegate.addQuestion(question);
  await seen();
  wait(100);
  type('y');
  expect([taken, delegate.ahead.take()]).toEqual([['prompt h', 'prompt e'], 'y']);
  // After `finish` the next key counts as new, however soon it comes.
  delegate.finish(question);
  delegate.addPrompt(prompt);
  type('a');
  delegate.finish(prompt);
  delegate.addQuestion(question);
  await seen();
  type('n');
  expect(taken.slice(2)).toEqual(['prompt a', 'question n']);
});

test('questions come one after the other, and each has to be seen', async () => {
  const { delegate, taken, keyHandler, type, seen } = openScene();
  const first = keyHandler('first');
  delegate.addQuestion(first);
  delegate.addQuestion(keyHandler('second'));
  await seen();
  type('a');
  delegate.remove(first);
  type('b');
  expect(delegate.ahead.take()).toBe('b');
  delegate.end();
  expect(taken).toEqual(['first a', 'second ends']);
});

test('Ctrl-C and Escape reach a question at once, and otherwise whoever is at work', async () => {
  const { delegate, taken, keyHandler, type, interrupts, wait } = openScene();
  const question = keyHandler('question');
  delegate.addQuestion(question);
  type('\u001B');
  type('\u0003');
  delegate.remove(question);
  type('\u0003');
  using _ = interrupts.on(() => taken.push('stop'));
  wait(3000);
  type('\u001B\u001B[A');
  type('\u001B');
  type('\u0003');
  type('\u0003');
  wait(3000);
  type('\u0003');
  expect(taken).toEqual(['question escape', 'question c', 'leave', 'stop', 'stop', 'stop', 'stop']);
});

test('what is typed ahead is edited as it would be in a prompt, and Enter sends none of it', () => {
  const { delegate, type } = openScene();
  type('helo\u001B[Dl\u001B[F wrong\u0017\r\rworld\r');
  expect(delegate.ahead.take()).toBe('hello \n\nworld');
  expect(delegate.ahead.take()).toBe('');
});

test('a key that is pressed twice, or held down, answers one question and not the next', async () => {
  const { delegate, taken, keyHandler, type, seen, wait } = openScene();
  const [first, second, third] = ['first', 'second', 'third'].map((name) => ({ ...keyHandler(name), isOneKey: true }));
  for (const question of [first, second, third]) delegate.addQuestion(question!);
  await seen();
  wait(1000);
  type('y');
  delegate.finish(first!);
  await seen();
  for (let press = 0; press < 20; press++) {
    wait(50);
    type('y');
  }
  wait(500);
  type('n');
  delegate.finish(second!);
  await seen();
  wait(500);
  type('n');
  expect(taken).toEqual(['first y', 'second n', 'third n']);
  expect(delegate.ahead.take()).toBe('');
});

test('a line may be typed as soon as the one before it is entered', async () => {
  const { delegate, taken, keyHandler, type, seen } = openScene();
  const [first, second] = [keyHandler('first'), keyHandler('second')];
  delegate.addQuestion(first);
  delegate.addQuestion(second);
  await seen();
  type('\r');
  delegate.finish(first);
  await seen();
  type('a');
  expect(taken).toEqual(['first return', 'second a']);
});
