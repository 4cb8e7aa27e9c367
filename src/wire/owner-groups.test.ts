import { expect, test } from 'vitest';
import { testCaller } from '../../test/eras/test-caller.js';
import { turn } from '../../test/fake-clock.js';
import { scene, type Sent } from '../../test/peer-scene.js';
import type { Caller, CallerLog } from '../model/caller.js';

/** A caller for one call of a client. */
function callOf(group: Caller, name: string, more: Partial<Caller> = {}): Caller {
  return testCaller(group.principal, {
    group,
    answer: () => Promise.resolve({ action: 'accept', content: { call: name } }),
    ...more,
  });
}

const stage = (): ReturnType<typeof scene> & {
  readonly ask: (params?: object) => Promise<unknown>;
  readonly call: (owner: Caller, signal?: AbortSignal) => Promise<unknown>;
  readonly answer: (at: number) => Promise<void>;
} => {
  const set = scene();
  let last = 0;
  const calls = (): Sent[] => set.seen.filter(({ method }) => method === 'tools/call');
  return {
    ...set,
    call: (owner, signal) => {
      const called = set.peer.request('tools/call', {}, { owner, signal });
      called.catch(() => {});
      return called;
    },
    answer: async (at) => {
      set.say({ jsonrpc: '2.0', id: calls()[at]!.id, result: {} });
      await turn();
    },
    ask: async (params = {}) => {
      const id = `q${++last}`;
      set.say({ jsonrpc: '2.0', id, method: 'elicitation/create', params });
      await turn();
      const { result, error } = set.seen.find((sent) => String(sent.id) === id)!;
      return (
        (result as { content?: unknown } | undefined)?.content ?? (error as { message?: string } | undefined)?.message
      );
    },
  };
};

test('a question goes to the newest call of the one client that has calls in flight', async () => {
  const { call, answer, ask } = stage();
  const ann = testCaller('ann');
  for (const name of ['a', 'b', 'c']) void call(callOf(ann, name));
  await turn();
  expect(await ask()).toEqual({ call: 'c' });
  await answer(2);
  expect(await ask()).toEqual({ call: 'b' });
  await answer(0);
  expect(await ask()).toEqual({ call: 'b' });
});

test('a question of which nobody knows whether it is for one client or another is refused', async () => {
  const { call, answer, ask } = stage();
  void call(callOf(testCaller('ann'), 'a'));
  void call(callOf(testCaller('ben'), 'b'));
  await turn();
  expect(await ask()).toMatch(/several callers/u);
  await answer(0);
  expect(await ask()).toEqual({ call: 'b' });
});

test('a question on the stream of a call, or of its task, goes to exactly that call', async () => {
  const { peer, seen, say, call, ask } = stage();
  const ann = testCaller('ann');
  const first = callOf(ann, 'a');
  const task = peer.request('tools/call', {}, { owner: first, isTask: true });
  await turn();
  say({ jsonrpc: '2.0', id: seen[0]!.id, result: { task: { taskId: 't1', status: 'working' } } });
  await task;
  void call(callOf(ann, 'b'));
  void call(callOf(ann, 'c'));
  await turn();
  const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't1' } } };
  expect(await ask(related)).toEqual({ call: 'a' });
  peer.message({ jsonrpc: '2.0', id: 'own', method: 'elicitation/create', params: {} }, seen[1]!.id);
  await turn();
  const own = seen.find(({ id }) => String(id) === 'own');
  expect(own?.result).toMatchObject({ content: { call: 'b' } });
});

test('a question after the last call was cancelled goes to the client itself, not to that call', async () => {
  const { call, ask } = stage();
  const ann = testCaller('ann');
  const stop = new AbortController();
  void call(callOf(ann, 'a'), stop.signal);
  await turn();
  stop.abort();
  expect(await ask()).toEqual({ who: 'ann' });
  void call(callOf(ann, 'b'));
  expect(await ask()).toEqual({ call: 'b' });
});

test('a question that the newest call leaves unanswered, because that call ends, goes to the next one', async () => {
  const { call, answer, seen, say } = stage();
  const ann = testCaller('ann');
  const ended = { end: (): void => {} };
  const short = callOf(ann, 'short', {
    answer: () => new Promise((_, reject) => (ended.end = () => reject(new Error('the call is over')))),
  });
  const refusing = callOf(ann, 'refusing', { answer: () => Promise.reject(new Error('no')) });
  void call(callOf(ann, 'a'));
  void call(short);
  say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: {} });
  await turn();
  await answer(1);
  ended.end();
  await turn();
  expect(seen.find(({ id }) => String(id) === 'q')?.result).toMatchObject({ content: { call: 'a' } });
  // A call that goes on and does not answer has refused.
  void call(refusing);
  say({ jsonrpc: '2.0', id: 'r', method: 'elicitation/create', params: {} });
  await turn();
  expect(seen.find(({ id }) => String(id) === 'r')?.error).toBeDefined();
});

test('a question of one client never goes on to another one', async () => {
  const { call, answer, seen, say } = stage();
  const [ann, ben] = [testCaller('ann'), testCaller('ben')];
  const ended = { end: (): void => {} };
  void call(
    callOf(ann, 'a', { answer: () => new Promise((_, reject) => (ended.end = () => reject(new Error('over')))) }),
  );
  say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: {} });
  await turn();
  void call(callOf(ben, 'b'));
  await turn();
  await answer(0);
  ended.end();
  await turn();
  // To the client itself: it has no call left.
  expect(seen.find(({ id }) => String(id) === 'q')?.result).toMatchObject({ content: { who: 'ann' } });
});

test('a thousand calls of a client leave nothing behind', async () => {
  const { call, answer, ask } = stage();
  const ann = testCaller('ann');
  for (let count = 0; count < 1_000; count++) void call(callOf(ann, String(count)));
  await turn();
  expect(await ask()).toEqual({ call: '999' });
  for (let count = 0; count < 1_000; count++) await answer(count);
  expect(await ask()).toMatch(/no call is in flight/u);
});

test('a client with a lane gets the log messages that its call asked for, and no others', async () => {
  const { peer, say } = stage();
  const logs: [string, unknown][] = [];
  const onLog =
    (name: string) =>
    ({ data }: CallerLog): void =>
      void logs.push([name, data]);
  const ann = testCaller('ann', { lane: 'session', onLog: onLog('ann') });
  const log = (level: string, data: string): void =>
    say({ jsonrpc: '2.0', method: 'notifications/message', params: { level, data } });
  const silent = callOf(ann, 'a', { lane: 'session', onLog: onLog('a') });
  const telling = callOf(ann, 'b', { lane: 'session', onLog: onLog('b') });
  const newest = callOf(ann, 'c', { lane: 'session', onLog: onLog('c') });
  peer.request('tools/call', {}, { owner: silent }).catch(() => {});
  log('emergency', 'unwanted');
  await turn();
  peer.request('tools/call', {}, { owner: telling, logLevel: 'warning' }).catch(() => {});
  peer.request('tools/call', {}, { owner: newest }).catch(() => {});
  log('info', 'too quiet');
  log('warning', 'wanted');
  await turn();
  expect(logs).toEqual([['b', 'wanted']]);
});

test('of clients that cannot be told apart, none is asked what may be a question to another', async () => {
  const { call, answer, ask } = stage();
  const several = testCaller('several', { mayBeSeveral: true });
  void call(callOf(several, 'one'));
  await turn();
  expect(await ask()).toEqual({ call: 'one' });
  void call(callOf(several, 'other'));
  await turn();
  expect(await ask()).toMatch(/several callers/u);
  await answer(0);
  expect(await ask()).toEqual({ call: 'other' });
});
