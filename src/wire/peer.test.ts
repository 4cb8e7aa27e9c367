import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { turn } from '../../test/fake-clock.js';
import { failure, scene } from '../../test/peer-scene.js';
import { gateText } from '../model/text/text-gate.js';

describe('an answer', () => {
  test('reaches the call that it belongs to, in whatever order answers come', async () => {
    const { peer, seen, say } = scene();
    const calls = Array.from({ length: 1_000 }, (_, index) => peer.request('tools/call', { index }));
    await turn();
    const shuffled = seen.toSorted((a, b) => ((a.id! * 7919) % 1009) - ((b.id! * 7919) % 1009));
    for (const { id, params } of shuffled) say({ jsonrpc: '2.0', id, result: { echo: params!['index'] } });
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 1_000 }, (_, echo) => ({ echo })));
    expect(peer.requests.size).toBe(0);
  });

  test.each([
    ['both a result and an error', { result: {}, error: { code: 1, message: 'x' } }, /both a result and an error/u],
    ['no jsonrpc', { jsonrpc: undefined, result: {} }, /"jsonrpc": "2.0"/u],
    ['jsonrpc 1.0', { jsonrpc: '1.0', result: {} }, /"jsonrpc": "2.0"/u],
    ['a null result', { result: null }, /its result is null/u],
    ['a string result', { result: 'yes' }, /a string/u],
    ['an array result', { result: [] }, /an array/u],
    ['neither', {}, /neither/u],
  ])('with %s fails its call at once and says why', async (_, answer, text) => {
    const { peer, seen, say, clock } = scene();
    const call = peer.request('tools/call');
    await turn();
    say({ jsonrpc: '2.0', id: seen[0]!.id, ...answer });
    const error = await failure(call);
    expect(error.code).toBe('bad-answer');
    expect(error.message).toMatch(text);
    expect(error.message).toContain('"db"');
    expect(clock.monotonic()).toBe(1_000);
  });

  test.each([
    [
      'an error object',
      { code: -32602, message: 'Tool nope not found', data: { a: 1 } },
      -32602,
      'Tool nope not found',
    ],
    ['a bare string', 'it broke', -32603, 'it broke'],
    ['an object without a message', {}, -32603, 'without saying why'],
  ])('that is %s reaches the caller with code and text', async (_, error, code, text) => {
    const { peer, seen, say } = scene();
    const call = peer.request('tools/call');
    await turn();
    say({ jsonrpc: '2.0', id: seen[0]!.id, error });
    const failed = await failure(call);
    expect(failed).toMatchObject({ code: 'server-error', detail: { kind: 'rpc', code } });
    expect(failed.message).toContain(text);
  });

  test('an enormous error text with escape sequences is cut to 4 KB and cleaned', async () => {
    const { peer, seen, say } = scene();
    const call = peer.request('tools/call');
    await turn();
    say({
      jsonrpc: '2.0',
      id: seen[0]!.id,
      error: { code: 1, message: `\u001B[2Jpassword: \u202E${'x'.repeat(5_000_000)}` },
    });
    const { message } = await failure(call);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
    expect(gateText(message).findings).toEqual([]);
  });

  test.each([
    ['an id that nobody asked with', (id: number) => id + 1],
    ['an object', (id: number) => ({ id })],
    ['__proto__', () => '__proto__'],
    ['-1', () => -1],
    ['1e308', () => 1e308],
    ['null', () => null],
    ['its number with blanks around it', (id: number) => ` ${id} `],
    ['its number in hexadecimal', (id: number) => `0x${id.toString(16)}`],
  ])('to %s is counted and dropped, and the real one still arrives', async (_, forge) => {
    const { peer, seen, say } = scene();
    const call = peer.request('tools/call');
    await turn();
    say({ jsonrpc: '2.0', id: forge(seen[0]!.id!), result: { forged: true } });
    await turn();
    expect(peer.stats.dropped).toBe(1);
    say({ jsonrpc: '2.0', id: seen[0]!.id, result: { forged: false } });
    expect(await call).toEqual({ forged: false });
  });

  test('whose number came back as a text is taken for its call', async () => {
    const { peer, seen, say } = scene();
    const call = peer.request('tools/call');
    await turn();
    say({ jsonrpc: '2.0', id: String(seen[0]!.id), result: { ok: 1 } });
    expect(await call).toEqual({ ok: 1 });
  });

  test('without an id to a request that could not be read is taken for the only call there is', async () => {
    const { peer, seen, say } = scene();
    const call = failure(peer.request('tools/call'));
    await turn();
    expect(seen).toHaveLength(1);
    say({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
    expect((await call).message).toContain('Parse error');
    const innocent = peer.request('c');
    await turn();
    say({ jsonrpc: '2.0', id: null, error: { code: -32601, message: 'no such note' } });
    say({ jsonrpc: '2.0', id: seen[1]!.id, result: { fine: true } });
    expect(await innocent).toEqual({ fine: true });
    const calls = [peer.request('a'), peer.request('b')];
    await turn();
    say({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } });
    for (const { id } of seen.slice(2)) say({ jsonrpc: '2.0', id, result: {} });
    expect(await Promise.all(calls)).toEqual([{}, {}]);
  });

  test('inside a batch is taken out of it', async () => {
    const { peer, seen, say } = scene();
    const calls = [peer.request('a'), peer.request('b')];
    await turn();
    say(seen.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: { method } })));
    expect(await Promise.all(calls)).toEqual([{ method: 'a' }, { method: 'b' }]);
  });

  test('is not looked for behind the first thousand messages of a batch, which are counted', async () => {
    const { peer, seen, say } = scene();
    const calls = [peer.request('a'), peer.request('b')];
    await turn();
    const [last, beyond] = seen.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: { method } }));
    const others = Array.from({ length: 999 }, () => ({ jsonrpc: '2.0', id: -1, result: {} }));
    say([...others, last, beyond, beyond, beyond]);
    expect(await calls[0]).toEqual({ method: 'a' });
    expect([peer.requests.size, peer.stats]).toMatchObject([1, { dropped: 999, malformed: 3 }]);
    say(beyond);
    expect(await calls[1]).toEqual({ method: 'b' });
  });

  test('leaves no listener at the signal of its call', async () => {
    const { peer, seen, say } = scene();
    const { signal } = new AbortController();
    const calls = [peer.request('a', {}, { signal }), failure(peer.request('b', {}, { signal }))];
    await turn();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1); // one for both calls
    say({ jsonrpc: '2.0', id: seen[0]!.id, result: {} });
    await calls[0];
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await peer[Symbol.asyncDispose]();
    await calls[1];
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('cannot be given ahead: ids are random 31-bit integers', async () => {
    const ids = new Set<number>();
    for (let round = 0; round < 20; round++) {
      const { peer, seen } = scene();
      for (let call = 0; call < 2; call++) peer.request('x').catch(() => {});
      await turn();
      for (const { id } of seen) ids.add(id!);
    }
    expect(ids.size).toBe(40);
    for (const id of ids) expect(Number.isInteger(id) && id > 0 && id < 2 ** 31).toBe(true);
  });
});

describe('a deadline', () => {
  test('ends a call, tells the server, and a late answer changes nothing', async () => {
    const { peer, seen, say, clock } = scene();
    const call = peer.request('tools/call', {}, { timeoutMs: 3_000 });
    const other = peer.request('tools/call', {}, { timeoutMs: 60_000 });
    const caught = failure(call);
    await clock.pass(2_999);
    expect(peer.requests.size).toBe(2);
    await clock.pass(2);
    const error = await caught;
    expect(error.code).toBe('call-timeout');
    expect(error.message).toContain('3000 ms');
    expect(seen[2]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: seen[0]!.id } });
    say({ jsonrpc: '2.0', id: seen[0]!.id, result: { late: true } });
    say({ jsonrpc: '2.0', id: seen[1]!.id, result: { late: false } });
    expect(await other).toEqual({ late: false });
    expect(peer.stats.dropped).toBe(1);
  });

  test('costs one timer for a thousand calls', async () => {
    const { peer, seen, say, clock } = scene();
    for (let round = 0; round < 100; round++) {
      const calls = Array.from({ length: 10 }, () => peer.request('x', {}, { timeoutMs: 60_000 }));
      await turn();
      for (const { id } of seen.splice(0)) say({ jsonrpc: '2.0', id, result: {} });
      await Promise.all(calls);
      await clock.pass(10);
    }
    expect(clock.timersSet).toBe(1);
  });

  test('is not missed by an answer that had arrived while the event loop was busy', async () => {
    const { peer, seen, say, clock } = scene();
    const call = peer.request('x', {}, { timeoutMs: 100 });
    await turn();
    const passing = clock.pass(5_000);
    say({ jsonrpc: '2.0', id: seen[0]!.id, result: { ok: true } });
    expect(await call).toEqual({ ok: true });
    await passing;
  });

  test('is not moved by progress', async () => {
    const { peer, seen, say, clock } = scene();
    const told: number[] = [];
    const caught = failure(
      peer.request('x', {}, { timeoutMs: 1_000, onProgress: ({ progress }) => told.push(progress) }),
    );
    for (let step = 1; step <= 9; step++) {
      await clock.pass(100);
      say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: seen[0]!.id, progress: step } });
    }
    await clock.pass(101);
    expect((await caught).code).toBe('call-timeout');
    expect(told).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

describe('a call that is cancelled', () => {
  test('ends at once, tells the server, and leaves no listener behind', async () => {
    const { peer, seen } = scene();
    const controller = new AbortController();
    const call = peer.request('tools/call', {}, { signal: controller.signal });
    await turn();
    controller.abort();
    expect((await failure(call)).code).toBe('cancelled');
    await turn();
    expect(seen[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: seen[0]!.id } });
    expect(peer.requests.size).toBe(0);
  });

  test('before it was sent is never sent', async () => {
    const { peer, seen } = scene();
    expect((await failure(peer.request('x', {}, { signal: AbortSignal.abort() }))).code).toBe('cancelled');
    await turn();
    expect(seen).toEqual([]);
  });

  test('is no handshake: initialize is given up without a word', async () => {
    const { peer, seen } = scene();
    const controller = new AbortController();
    const call = peer.request('initialize', {}, { signal: controller.signal });
    await turn();
    controller.abort();
    await failure(call);
    await turn();
    expect(seen.map(({ method }) => method)).toEqual(['initialize']);
  });
});

describe('progress', () => {
  test('of other calls, falling, or of no call at all is ignored', async () => {
    const { peer, seen, say } = scene();
    const told: unknown[] = [];
    const call = peer.request('x', { _meta: { trace: 1 } }, { onProgress: (progress) => told.push(progress) });
    await turn();
    expect(seen[0]!.params).toEqual({ _meta: { trace: 1, progressToken: seen[0]!.id } });
    const report = (progressToken: unknown, progress: unknown, more = {}): void =>
      say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, ...more } });
    report(seen[0]!.id, 0.5, { total: 2, message: 'half' });
    report(seen[0]!.id! + 1, 1);
    report(seen[0]!.id, 0.4);
    report(seen[0]!.id, 'many');
    report('x', 7);
    report(seen[0]!.id, 2);
    say({ jsonrpc: '2.0', id: seen[0]!.id, result: {} });
    await call;
    report(seen[0]!.id, 3);
    await turn();
    expect(told).toEqual([{ progress: 0.5, total: 2, message: 'half' }, { progress: 2 }]);
  });

  test('a listener that throws harms nobody', async () => {
    const { peer, seen, say } = scene();
    const call = peer.request(
      'x',
      {},
      {
        onProgress: () => {
          throw new Error('listener');
        },
      },
    );
    await turn();
    say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: seen[0]!.id, progress: 1 } });
    say({ jsonrpc: '2.0', id: seen[0]!.id, result: { ok: 1 } });
    expect(await call).toEqual({ ok: 1 });
  });
});

describe('a server that asks', () => {
  test.each([
    ['ping', { result: {} }],
    ['sampling/createMessage', { error: { code: -32601, message: 'Method not found' } }],
    ['roots/list', { error: { code: -32601, message: 'Method not found' } }],
    ['elicitation/create', { error: { code: -32601, message: 'Method not found' } }],
    ['__proto__', { error: { code: -32601, message: 'Method not found' } }],
  ])('for %s is answered', async (method, answer) => {
    const { seen, say } = scene();
    say({ jsonrpc: '2.0', id: 'a', method });
    await turn();
    expect(seen).toEqual([{ jsonrpc: '2.0', id: 'a', ...answer }]);
  });

  test('can take its question back', async () => {
    let aborted = false;
    const { seen, say } = scene({
      handlers: {
        'elicitation/create': (_, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              aborted = true;
              resolve({ action: 'cancel' });
            });
          }),
      },
    });
    say({ jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: {} });
    say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await turn();
    expect(aborted).toBe(true);
    expect(seen).toEqual([]);
  });

  test('more than 256 questions at a time is refused the rest', async () => {
    const { seen, say } = scene({ handlers: { wait: () => new Promise(() => {}) } });
    for (let id = 1; id <= 262; id++) say({ jsonrpc: '2.0', id, method: 'wait' });
    await turn();
    expect(seen.map(({ error }) => error?.code)).toEqual(Array.from({ length: 6 }, () => -32000));
  });

  test('does not learn what went wrong inside', async () => {
    const { seen, say } = scene({
      handlers: {
        boom: () => {
          throw new Error('/home/secret');
        },
      },
    });
    say({ jsonrpc: '2.0', id: 1, method: 'boom' });
    await turn();
    expect(JSON.stringify(seen)).not.toContain('secret');
  });
});

describe('the end of a connection', () => {
  test('ends every call once, and later ones at once', async () => {
    const { peer, end } = scene();
    const calls = [peer.request('a'), peer.request('b')].map(failure);
    await turn();
    await end.close();
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['connection-closed', 'connection-closed']);
    expect((await failure(peer.request('c'))).code).toBe('connection-closed');
    expect((await failure(peer.notify('d'))).code).toBe('connection-closed');
  });

  test('is the end: what a pipe still reads asks nobody, tells nobody, and is not counted', async () => {
    const received: string[] = [];
    const { peer, end } = scene({
      handlers: { ask: () => (received.push('asked'), {}) },
      onNotification: (method) => void received.push(method),
    });
    await end.close();
    await peer.closed;
    const before = { ...peer.stats };
    const timedOut = [{ id: 'a', method: 'ask' }, { method: 'notifications/message' }, { id: 1, result: {} }];
    for (const message of timedOut) expect(peer.message({ jsonrpc: '2.0', ...message })).toBe(false);
    await turn();
    expect([received, peer.stats]).toEqual([[], before]);
  });

  test('takes the timer with it', async () => {
    const { peer, clock } = scene();
    void peer.request('a', {}, { timeoutMs: 5_000 }).catch(() => {});
    await peer[Symbol.asyncDispose]();
    expect(clock.timers).toBe(0);
  });
});
