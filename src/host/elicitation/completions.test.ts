import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { COMPLETED, Completions } from './completions.js';

const NOTE = 'notifications/elicitation/complete';

test('only the server that asked ends a visit, by its id, and other notes mean nothing', () => {
  const completions = new Completions(new FakeClock());
  using one = completions.expect('a', 'e1');
  using same = completions.expect('a', 'e1');
  for (const id of [undefined, 1, '', 'e2', { id: 'e1' }]) completions.hear('a', NOTE, { elicitationId: id });
  completions.hear('b', NOTE, { elicitationId: 'e1' });
  completions.hear('a', 'notifications/message', { elicitationId: 'e1' });
  expect(one.signal.aborted).toBe(false);
  completions.hear('a', NOTE, { elicitationId: 'e1' });
  expect([one.signal.reason, same.signal.reason]).toEqual([COMPLETED, COMPLETED]);
});

test('nothing is kept of a visit that is over, that nobody waits for, or that takes longer than 15 minutes', async () => {
  const clock = new FakeClock();
  const completions = new Completions(clock);
  completions.expect('a', 'e1')[Symbol.dispose]();
  expect(completions.waiting).toBe(0);
  const late = completions.expect('a', 'e2');
  await clock.pass(900_000);
  expect(completions.waiting).toBe(0);
  completions.hear('a', NOTE, { elicitationId: 'e2' });
  expect(late.signal.aborted).toBe(false);
  late[Symbol.dispose]();
});
