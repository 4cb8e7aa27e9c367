import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { AnswerStream } from './answer-stream.js';
import { MODEL_LIMITS } from './model-endpoint.js';

/** A stream, and what it did with its connection. */
function open(): { stream: AnswerStream; clock: FakeClock; told: string[] } {
  const clock = new FakeClock();
  const told: string[] = [];
  const stream = new AnswerStream({
    limits: MODEL_LIMITS,
    clock,
    toModelError: (what) => new Error(what),
    onOver: () => void told.push('over'),
  });
  const exchange = {
    isUnanswered: false,
    resume: () => void told.push('resume'),
    abort: () => void told.push('abort'),
  };
  stream.attach(exchange);
  stream.begin();
  return { stream, clock, told };
}

const MUCH = Buffer.alloc(300_000, 'x');

test('of a body without an end as much is read as was asked for, and its connection goes', async () => {
  const { stream, clock, told } = open();
  const reading = stream.readText(100);
  expect(stream.push(MUCH)).toBe(false);
  expect(await reading).toBe('x'.repeat(100));
  expect(told).toEqual(['over', 'resume']);
  await clock.pass(1_000);
  expect(told).toEqual(['over', 'resume', 'abort']);
});

test('of a body that is slow what has come in ten seconds is read', async () => {
  const { stream, clock } = open();
  const reading = stream.readText(100);
  stream.push(Buffer.from('slow'));
  await clock.pass(10_000);
  expect(await reading).toBe('slow');
});

test('what came before a failure is read, then the failure is told', async () => {
  const { stream } = open();
  stream.push(Buffer.from('a'));
  stream.push(Buffer.from('b'));
  stream.fail(new Error('gone'));
  expect(stream.push(Buffer.from('c'))).toBe(true);
  const received: string[] = [];
  const reading = (async () => {
    for await (const bytes of stream) received.push(String(bytes));
  })();
  await expect(reading).rejects.toThrow('gone');
  expect(received).toEqual(['a', 'b']);
});

test('a connection that waits for its reader is not silent', async () => {
  const { stream, clock, told } = open();
  stream.push(MUCH);
  await clock.pass(2 * MODEL_LIMITS.silenceMs);
  expect(told).toEqual([]);
  const reading = stream[Symbol.asyncIterator]();
  expect((await reading.next()).value).toHaveLength(MUCH.length);
  const next = Promise.allSettled([reading.next()]);
  await clock.pass(MODEL_LIMITS.silenceMs);
  expect(await next).toMatchObject([
    {
      status: 'rejected',
      reason: { message: `said nothing for ${MODEL_LIMITS.silenceMs} ms in the middle of its answer` },
    },
  ]);
});
