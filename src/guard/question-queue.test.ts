import { expect, test } from 'vitest';
import { QuestionQueue } from './question-queue.js';

interface Posed {
  readonly name: string;
  readonly signal: AbortSignal;
  answer(text: string): void;
  fail(): void;
}

/** A user who answers when the test says so. */
function openPerson(): { posed: Posed[]; pose: (name: string) => (signal: AbortSignal) => Promise<string> } {
  const posed: Posed[] = [];
  const pose = (name: string) => (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      posed.push({ name, signal, answer: resolve, fail: () => reject(new Error('no terminal')) });
    });
  return { posed, pose };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('two questions at once are asked one after the other, and each gets its own answer', async () => {
  const queue = new QuestionQueue();
  const { posed, pose } = openPerson();
  const answers = [queue.put(pose('a')), queue.put(pose('b')), queue.put(pose('c'))];
  await turn();
  expect(posed.map(({ name }) => name)).toEqual(['a']);
  posed[0]!.answer('to a');
  await turn();
  expect(posed.map(({ name }) => name)).toEqual(['a', 'b']);
  posed[1]!.answer('to b');
  await turn();
  posed[2]!.answer('to c');
  expect(await Promise.all(answers)).toEqual(['to a', 'to b', 'to c'].map((answer) => ({ kind: 'answered', answer })));
});

test('of a thousand questions a hundred wait, and the others are told at once that nobody will answer', async () => {
  const queue = new QuestionQueue();
  const { posed, pose } = openPerson();
  const answers = Array.from({ length: 1_000 }, (_, index) => queue.put(pose(String(index))));
  await turn();
  expect(posed).toHaveLength(1);
  for (let index = 0; index <= 100; index++) {
    posed[index]!.answer(`to ${posed[index]!.name}`);
    await turn();
  }
  const kinds = await Promise.all(answers);
  expect(kinds.filter(({ kind }) => kind === 'full')).toHaveLength(899);
  expect(kinds.slice(0, 101)).toEqual(
    Array.from({ length: 101 }, (_, index) => ({ kind: 'answered', answer: `to ${index}` })),
  );
});

test('a call that is cancelled takes its question back, whether somebody reads it or not', async () => {
  const queue = new QuestionQueue();
  const { posed, pose } = openPerson();
  const [read, unread] = [new AbortController(), new AbortController()];
  const answers = [
    queue.put(pose('read'), read.signal),
    queue.put(pose('unread'), unread.signal),
    queue.put(pose('last')),
  ];
  await turn();
  unread.abort();
  expect(await answers[1]).toEqual({ kind: 'withdrawn' });
  read.abort();
  expect(await answers[0]).toEqual({ kind: 'withdrawn' });
  expect(posed[0]!.signal.aborted).toBe(true);
  await turn();
  // An answer that comes too late goes to no question.
  posed[0]!.answer('yes, to the first');
  posed[1]!.answer('to the last');
  expect(await answers[2]).toEqual({ kind: 'answered', answer: 'to the last' });
  expect(posed.map(({ name }) => name)).toEqual(['read', 'last']);
  expect(await queue.put(pose('never'), AbortSignal.abort())).toEqual({ kind: 'withdrawn' });
});

test('who cannot ask does not stop the next question', async () => {
  const queue = new QuestionQueue();
  const { posed, pose } = openPerson();
  const answers = [
    queue.put(() => {
      throw new Error('at once');
    }),
    queue.put(pose('b')),
    queue.put(pose('c')),
  ];
  await turn();
  posed[0]!.fail();
  await turn();
  posed[1]!.answer('to c');
  expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(['failed', 'failed', 'answered']);
});

test('when it is closed nobody is asked any more, and nobody waits', async () => {
  const queue = new QuestionQueue();
  const { posed, pose } = openPerson();
  const answers = [queue.put(pose('a')), queue.put(pose('b'))];
  await turn();
  queue.close();
  answers.push(queue.put(pose('c')));
  expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(['withdrawn', 'withdrawn', 'withdrawn']);
  expect(posed.map(({ name, signal }) => [name, signal.aborted])).toEqual([['a', true]]);
});

test('a question that is withdrawn while it waits shows nobody a second dialog', async () => {
  const queue = new QuestionQueue();
  const { posed, pose } = openPerson();
  const names = (): string[] => posed.map(({ name }) => name);
  const stop = new AbortController();
  const [first, second, third] = [queue.put(pose('a')), queue.put(pose('b'), stop.signal), queue.put(pose('c'))];
  await turn();
  stop.abort();
  expect(await second).toEqual({ kind: 'withdrawn' });
  await turn();
  expect(names()).toEqual(['a']);
  posed[0]!.answer('to a');
  expect(await first).toEqual({ kind: 'answered', answer: 'to a' });
  await turn();
  expect(names()).toEqual(['a', 'c']);
  posed[1]!.answer('to c');
  expect(await third).toEqual({ kind: 'answered', answer: 'to c' });
});

test('an answer that comes after its question was withdrawn shows nobody a second dialog either', async () => {
  const queue = new QuestionQueue();
  const { posed, pose } = openPerson();
  const stop = new AbortController();
  const first = queue.put(pose('a'), stop.signal);
  for (const name of ['b', 'c']) void queue.put(pose(name));
  await turn();
  stop.abort('no longer wanted');
  expect(await first).toEqual({ kind: 'withdrawn' });
  expect([posed[0]!.signal.aborted, posed[0]!.signal.reason]).toEqual([true, 'no longer wanted']);
  await turn();
  posed[0]!.answer('too late');
  await turn();
  expect(posed.map(({ name }) => name)).toEqual(['a', 'b']);
  // A new question waits while a dialog is open.
  void queue.put(pose('d'));
  await turn();
  expect(posed).toHaveLength(2);
});
