import { expect, test } from 'vitest';
import { openBlock as open } from './using.js';

// Not written with `using`: on a Node that knows it, these would not test what it is compiled to.

const told: string[] = [];
const sync = (name: string, throws = false): Disposable => ({
  [Symbol.dispose]() {
    told.push(name);
    if (throws) throw new Error(name);
  },
});
const later = (name: string, throws = false): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    await Promise.resolve();
    told.push(name);
    if (throws) throw new Error(name);
  },
});

test('what a block uses is disposed of in reverse order, each after the one before is done', async () => {
  const block = open();
  block.a(later('first'));
  block.u(sync('second'));
  block.u(undefined);
  block.a(null);
  block.a(sync('third'));
  expect(told).toEqual([]);
  await block.d();
  expect(told.splice(0)).toEqual(['third', 'second', 'first']);
  expect(() => open().u({})).toThrow(TypeError);
});

test('without anything to wait for it is disposed of at once', () => {
  const block = open();
  block.u(sync('first'));
  block.u(sync('second'));
  expect(block.d()).toBeUndefined();
  expect(told.splice(0)).toEqual(['second', 'first']);
});

test('whatever throws, all is disposed of, and nothing that was thrown is lost', async () => {
  const block = open();
  block.u(sync('first'));
  block.a(later('second', true));
  block.u(sync('third', true));
  block.e = new Error('the block');
  const thrown = await Promise.resolve(block.d()).catch((error: unknown) => error);
  expect(told.splice(0)).toEqual(['third', 'second', 'first']);
  expect(thrown).toMatchObject({
    name: 'SuppressedError',
    error: { message: 'second' },
    suppressed: { name: 'SuppressedError', error: { message: 'third' }, suppressed: { message: 'the block' } },
  });
  const other = open();
  other.u(sync('alone'));
  other.e = new Error('the block');
  expect(() => other.d()).toThrow('the block');
  expect(told.splice(0)).toEqual(['alone']);
});
