import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { COMPLETED } from '../../model/hooks/hook-call.js';
import { ElicitationCompletions } from './completions.js';

const NOTE = 'notifications/elicitation/complete';
const url = 'https://example.com/';
const page = (server: string, id: string, more: object = {}) => ({ server, id, url, ...more });

test('only the server that asked ends a visit, by its id, and other notes mean nothing', () => {
  const completions = new ElicitationCompletions(new FakeClock());
  using one = completions.expect(page('a', 'e1'));
  using same = completions.expect(page('a', 'e1'));
  using another = completions.expect(page('a', 'e1', { url: 'https://example.com/other' }));
  one.agree();
  for (const id of [undefined, 1, '', 'e2', { id: 'e1' }]) completions.onCompleted('a', NOTE, { elicitationId: id });
  completions.onCompleted('b', NOTE, { elicitationId: 'e1' });
  completions.onCompleted('a', 'notifications/message', { elicitationId: 'e1' });
  expect(one.signal.aborted).toBe(false);
  completions.onCompleted('a', NOTE, { elicitationId: 'e1' });
  expect([one.signal.reason, same.signal.reason]).toEqual([COMPLETED, COMPLETED]);
  expect(another.signal.aborted).toBe(false);
});

test('a server ends no visit that the user has not agreed to, nor one after the user has left the page', () => {
  const completions = new ElicitationCompletions(new FakeClock());
  using first = completions.expect(page('a', 'e1'));
  using second = completions.expect(page('a', 'e1'));
  completions.onCompleted('a', NOTE, { elicitationId: 'e1' });
  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false]);
  first.agree();
  first[Symbol.dispose]();
  completions.onCompleted('a', NOTE, { elicitationId: 'e1' });
  expect(second.signal.aborted).toBe(false);
  second.agree();
  completions.onCompleted('a', NOTE, { elicitationId: 'e1' });
  expect(second.signal.reason).toBe(COMPLETED);
});

test('nothing is kept of a visit that is over, that nobody waits for, or that takes longer than 15 minutes', async () => {
  const clock = new FakeClock();
  const completions = new ElicitationCompletions(clock);
  completions.expect(page('a', 'e1'))[Symbol.dispose]();
  expect(completions.waiting).toBe(0);
  const late = completions.expect(page('a', 'e2'));
  late.agree();
  await clock.pass(900_000);
  expect(completions.waiting).toBe(0);
  completions.onCompleted('a', NOTE, { elicitationId: 'e2' });
  expect(late.signal.aborted).toBe(false);
  late[Symbol.dispose]();
});
