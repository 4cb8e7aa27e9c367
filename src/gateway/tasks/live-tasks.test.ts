import { expect, test } from 'vitest';
import { FakeClock } from '../../../test/fake-clock.js';
import { testClient } from '../../../test/gateway/gateway-scene.js';
import type { LiveTask } from './live-task.js';
import { LiveTasks } from './live-tasks.js';

function liveScene(): {
  readonly clock: FakeClock;
  readonly tasks: LiveTasks;
  readonly begin: (id: string, principal?: string) => LiveTask;
} {
  const clock = new FakeClock();
  const tasks = new LiveTasks(clock);
  return {
    clock,
    tasks,
    begin: (id, principal = 'ann') => {
      const client = testClient({ principal, capabilities: { elicitation: {} } });
      const caller = { principal, client: undefined, capabilities: {}, roots: [], answer: async () => ({}) };
      const address = { server: 's', owner: principal, id, tool: 't' };
      return tasks.add({ id, address, client, caller });
    },
  };
}

test('a task that nobody asks about for an hour is given up, and its line with it', async () => {
  const { clock, tasks, begin } = liveScene();
  using _ = tasks;
  let closed = 0;
  const task = begin('a');
  task.keep({ [Symbol.dispose]: () => closed++ });
  await clock.pass(3_000_000);
  expect(tasks.get('a')).toBe(task);
  await clock.pass(3_000_000);
  expect([tasks.get('a'), closed]).toEqual([task, 0]);
  await clock.pass(3_700_000);
  expect([tasks.get('a'), closed, task.signal.aborted]).toEqual([undefined, 1, true]);
});

test('one user has a hundred tasks at most, and leaves room for others', () => {
  const { tasks, begin } = liveScene();
  using _ = tasks;
  for (let at = 0; at < 100; at++) begin(`a${at}`);
  expect([tasks.hasRoom('ann'), tasks.hasRoom('ben')]).toEqual([false, true]);
  tasks.left('ann');
  expect(tasks.hasRoom('ann')).toBe(true);
});

test('a question waits for its answer, and is refused when its task ends', async () => {
  const { tasks, begin } = liveScene();
  using _ = tasks;
  const task = begin('a');
  const { signal } = new AbortController();
  const first = task.ask({ method: 'elicitation/create', params: { message: 'one' } }, signal);
  const second = task.ask({ method: 'elicitation/create', params: { message: 'two' } }, signal);
  const undeclared = task.ask({ method: 'roots/list', params: {} }, signal);
  await expect(undeclared).rejects.toMatchObject({ code: -32_601 });
  expect(Object.keys(task.inputRequests ?? {})).toEqual(['q1', 'q2']);
  task.answer({ q1: { action: 'accept' }, q2: 'no object', other: {} });
  expect(await first).toEqual({ action: 'accept' });
  expect(Object.keys(task.inputRequests ?? {})).toEqual(['q2']);
  tasks.end('a');
  await expect(second).rejects.toMatchObject({ code: -32_000 });
});
