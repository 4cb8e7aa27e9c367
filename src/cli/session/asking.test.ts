import { expect, test } from 'vitest';
import { DialogQueue } from './asking.js';

function gate(): { readonly open: (answer: string) => void; readonly answer: Promise<string> } {
  let open!: (answer: string) => void;
  const answer = new Promise<string>((resolve) => void (open = resolve));
  return { open, answer };
}

test('one question at a time, in the order in which they came up, and all of them are one interruption', async () => {
  const changes: boolean[] = [];
  const asking = new DialogQueue({ onChange: (isOpen) => changes.push(isOpen) });
  const [first, second] = [gate(), gate()];
  const posed: string[] = [];
  const pose = (name: string, answer: Promise<string>): Promise<string> =>
    asking.enqueue(() => {
      posed.push(name);
      return answer;
    });
  const one = pose('first', first.answer);
  const other = pose('second', second.answer);
  second.open('2');
  await Promise.resolve();
  expect(posed).toEqual(['first']);
  first.open('1');
  expect(await one).toBe('1');
  expect(await other).toBe('2');
  await asking.idle();
  expect(changes).toEqual([true, false]);
  expect(asking.isOpen).toBe(false);
});

test('a question that nobody wants to know any more is never put, and one that fails harms no other', async () => {
  const asking = new DialogQueue({ onChange: () => {} });
  const first = gate();
  const withdrawn = new AbortController();
  const one = asking.enqueue(() => first.answer);
  const dropped = asking.enqueue(() => Promise.resolve('never'), withdrawn.signal);
  const failed = asking.enqueue(() => Promise.reject(new Error('no screen')));
  const last = asking.enqueue(() => Promise.resolve('last'));
  withdrawn.abort();
  first.open('1');
  expect(await one).toBe('1');
  await expect(dropped).rejects.toMatchObject({ code: 'cancelled' });
  await expect(failed).rejects.toThrow('no screen');
  expect(await last).toBe('last');
});
