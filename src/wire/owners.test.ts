import { describe, expect, test } from 'vitest';
import { testCaller } from '../../test/eras/test-caller.js';
import { turn } from '../../test/fake-clock.js';
import { failure, type Scene, scene, type Sent } from '../../test/peer-scene.js';
import { HostError } from '../base/errors.js';
import type { Caller } from '../model/caller.js';
import type { PeerOptions } from './peer.js';

interface Asking extends Scene {
  /** Sends a request as the server. Returns our result, or the error's message. */
  readonly ask: (params?: object) => Promise<unknown>;
  readonly answer: (request: Sent) => void;
}

function asking(options: Partial<PeerOptions> = {}): Asking {
  const stage = scene(options);
  let last = 0;
  return {
    ...stage,
    answer: ({ id }) => stage.say({ jsonrpc: '2.0', id, result: {} }),
    ask: async (params = {}) => {
      const id = `q${++last}`;
      stage.say({ jsonrpc: '2.0', id, method: 'elicitation/create', params });
      await turn();
      const { result, error } = stage.seen.find((sent) => String(sent.id) === id)!;
      return result ?? (error as { readonly message?: string } | undefined)?.message;
    },
  };
}

const [ann, ben] = [testCaller('ann'), testCaller('ben')];
const byAnn = { action: 'accept', content: { who: 'ann' } };
const byBen = { action: 'accept', content: { who: 'ben' } };
const task = (taskId: string): object => ({ _meta: { 'io.modelcontextprotocol/related-task': { taskId } } });

describe('a question of the server', () => {
  test('is answered by the one caller among a thousand calls in flight, and refused as soon as there is another', async () => {
    const { peer, seen, ask, answer } = asking();
    for (let count = 0; count < 1_000; count++) peer.request('tools/call', {}, { owner: ann }).catch(() => {});
    expect(await ask()).toEqual(byAnn);
    const other = peer.request('tools/call', {}, { owner: ben });
    await turn();
    expect(await ask()).toMatch(/several callers/u);
    answer(seen.findLast(({ method }) => method === 'tools/call')!);
    await other;
    expect(await ask()).toEqual(byAnn);
  });

  test('is nobody’s for a request that has no owner: lists and pings of the connection itself', async () => {
    const { peer, ask } = asking({ opener: ben, handlers: { 'elicitation/create': () => ({ action: 'decline' }) } });
    peer.request('tools/list').catch(() => {});
    expect(await ask()).toEqual({ action: 'decline' });
    peer.request('tools/call', {}, { owner: ann }).catch(() => {});
    expect(await ask()).toEqual(byAnn);
  });

  test('tells its handler whose it is', async () => {
    const told: (Caller | undefined)[] = [];
    const handlers = {
      'elicitation/create': (_: unknown, { owner }: { owner?: Caller | undefined }) => (told.push(owner), {}),
    };
    const { ask } = asking({ opener: ann, handlers });
    await ask();
    expect(told).toEqual([ann]);
  });

  test('that its caller fails at says no more than that, unless the caller wants it to', async () => {
    const broken = testCaller('broken', { answer: () => Promise.reject(new Error('/home/secret')) });
    const { peer, ask } = asking();
    peer.request('tools/call', {}, { owner: broken }).catch(() => {});
    expect(await ask()).toBe('Internal error');
  });

  test('is ten minutes long taken for one of a call that timed out', async () => {
    const { peer, clock, ask } = asking();
    const call = failure(peer.request('tools/call', {}, { owner: ann, timeoutMs: 1_000 }));
    await clock.pass(1_001);
    expect((await call).code).toBe('call-timeout');
    peer.request('tools/call', {}, { owner: ben, timeoutMs: 10_000_000 }).catch(() => {});
    await clock.pass(599_000);
    expect(await ask()).toMatch(/several callers/u);
    await clock.pass(2_000);
    expect(await ask()).toEqual(byBen);
  });

  test.each([
    ['a cut stream', 'http-failed', 'several callers'],
    ['a refused connect', 'connect-failed', JSON.stringify(byBen)],
  ] as const)('after %s belongs to the lost request only if the server may work on it', async (_, code, expected) => {
    const { peer, seen, ask } = asking();
    const call = failure(peer.request('tools/call', {}, { owner: ann }));
    await turn();
    peer.failed(seen[0]!.id!, new HostError(code, 'x'));
    await call;
    peer.request('tools/call', {}, { owner: ben }).catch(() => {});
    expect(JSON.stringify(await ask())).toContain(expected);
  });

  test('in the name of a task is remembered for a thousand tasks, and no more', async () => {
    const { peer, seen, say, ask } = asking();
    peer.request('tools/call', {}, { owner: ben }).catch(() => {});
    const begun = Array.from({ length: 1_001 }, () => peer.request('tools/call', {}, { owner: ann, isTask: true }));
    await turn();
    for (const [index, { id }] of seen.slice(1).entries()) {
      say({ jsonrpc: '2.0', id, result: { task: { taskId: `t${index}`, status: 'working' } } });
    }
    await Promise.all(begun);
    expect(await ask(task('t1000'))).toEqual(byAnn);
    expect(await ask(task('t0'))).toMatch(/has ended/u);
    expect(await ask()).toMatch(/several callers/u);
    for (let index = 0; index <= 1_000; index++) peer.endTask(`t${index}`);
    expect(await ask()).toEqual(byBen);
  });

  test.each([
    [{}],
    [{ task: 1 }],
    [{ task: { taskId: 7 } }],
    [{ task: { taskId: 't', status: 1 } }],
    [{ task: { taskId: 'x'.repeat(1_001), status: '' } }],
  ])('of a task that is none (%j) belongs to nobody', async (result) => {
    const { peer, seen, say, ask } = asking();
    const call = peer.request('tools/call', {}, { owner: ann, isTask: true });
    await turn();
    say({ jsonrpc: '2.0', id: seen[0]!.id, result });
    await call;
    expect(await ask()).toMatch(/no call is in flight/u);
  });
});

const errorOf = (seen: readonly Sent[], id: string) => seen.find((sent) => String(sent.id) === id)?.error;
const CANCELLED = { code: -32000, message: 'The call that it belongs to was cancelled' };

describe('when calls are cancelled', () => {
  interface Question {
    readonly signal: AbortSignal;
    readonly method: string;
  }

  /** A caller who takes their time. */
  function thinking(questions: Question[]): Caller {
    return testCaller('ann', {
      capabilities: { elicitation: {}, sampling: {} },
      answer: (method, _, { signal }) => new Promise(() => questions.push({ method, signal })),
    });
  }

  test('what the server asked because of them is withdrawn, and the server told so', async () => {
    const questions: Question[] = [];
    const { peer, seen, say } = asking();
    const stops = [new AbortController(), new AbortController()];
    const owner = thinking(questions);
    for (const { signal } of stops) peer.request('tools/call', {}, { owner, signal }).catch(() => {});
    say({ jsonrpc: '2.0', id: 's1', method: 'sampling/createMessage', params: {} });
    say({ jsonrpc: '2.0', id: 'e1', method: 'elicitation/create', params: {} });
    await turn();
    // It may be for the sake of the other call.
    stops[0]!.abort();
    await turn();
    expect(questions.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    stops[1]!.abort();
    await turn();
    expect(questions.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    expect([errorOf(seen, 's1'), errorOf(seen, 'e1')]).toEqual([CANCELLED, CANCELLED]);
  });

  test('a server that goes on all the same does not get the model, until there is another call', async () => {
    const questions: Question[] = [];
    const { peer, seen, say } = asking();
    const owner = thinking(questions);
    const stop = new AbortController();
    peer.request('tools/call', {}, { owner, signal: stop.signal }).catch(() => {});
    await turn();
    stop.abort();
    say({ jsonrpc: '2.0', id: 's1', method: 'sampling/createMessage', params: {} });
    say({ jsonrpc: '2.0', id: 'e1', method: 'elicitation/create', params: {} });
    await turn();
    expect([errorOf(seen, 's1'), questions.map(({ method }) => method)]).toEqual([CANCELLED, ['elicitation/create']]);
    peer.request('tools/call', {}, { owner }).catch(() => {});
    say({ jsonrpc: '2.0', id: 's2', method: 'sampling/createMessage', params: {} });
    await turn();
    expect(questions).toHaveLength(2);
  });

  test('a question on the channel of another call stays', async () => {
    const questions: Question[] = [];
    const { peer, seen } = asking();
    const owner = thinking(questions);
    const stop = new AbortController();
    peer.request('tools/call', {}, { owner, signal: stop.signal }).catch(() => {});
    peer.request('tools/call', {}, { owner }).catch(() => {});
    await turn();
    for (const [at, { id }] of seen.entries())
      peer.message({ jsonrpc: '2.0', id: `s${at}`, method: 'sampling/createMessage', params: {} }, id);
    stop.abort();
    await turn();
    expect(questions.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  });
});

test('a caller that logs badly does the connection no harm', async () => {
  const bad = testCaller('bad', {
    onLog: () => {
      throw new Error('mine');
    },
  });
  const received: string[] = [];
  const { peer, seen, say, answer } = asking({ onNotification: (method) => void received.push(method) });
  const call = peer.request('tools/call', {}, { owner: bad });
  await turn();
  say({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x' } });
  answer(seen[0]!);
  expect(await call).toEqual({});
  expect(received).toEqual(['notifications/message']);
});
