import { expect, test } from 'vitest';
import { controlScene, result } from '../../../test/control-scene.js';
import type { ControlRequest } from '../../../test/embedder.js';
import { failure } from '../../../test/peer-scene.js';

test('a call goes out in an envelope, and its answer comes back in one', async () => {
  const { embedder, peer } = controlScene();
  const answer = peer('calc').request('tools/call', { name: 'add' });
  const asked = await embedder.asked('tools/call');
  expect(asked).toEqual({
    type: 'control_request',
    request_id: expect.stringMatching(/^[\da-f-]{36}$/u),
    request: {
      subtype: 'mcp_message',
      server_name: 'calc',
      message: { jsonrpc: '2.0', id: expect.any(Number), method: 'tools/call', params: { name: 'add' } },
    },
  });
  embedder.answer(asked, result(asked, { sum: 3 }));
  expect(await answer).toEqual({ sum: 3 });
});

test('servers share the line, and each gets its own answers, in whatever order they come', async () => {
  const { embedder, peer } = controlScene();
  const [one, two] = [peer('one'), peer('two')];
  const answers = Array.from({ length: 200 }, (_, index) =>
    (index % 2 === 0 ? one : two).request('tools/call', { index }),
  );
  const last = await embedder.asked('tools/call', 200);
  expect(last.request.server_name).toBe('two');
  for (const asked of embedder.requests.toReversed()) {
    const { server_name: server, message } = asked.request;
    embedder.answer(asked, result(asked, { server, params: message['params'] }));
  }
  expect(await Promise.all(answers)).toEqual(
    Array.from({ length: 200 }, (_, index) => ({ server: index % 2 === 0 ? 'one' : 'two', params: { index } })),
  );
});

test('a note is sent the same way, and what is said about it is not taken for anything', async () => {
  const { embedder, peer, notes } = controlScene();
  const calc = peer('calc');
  await calc.notify('notifications/initialized');
  embedder.answer(await embedder.asked('notifications/initialized'), { jsonrpc: '2.0', result: {} });
  const answer = calc.request('ping');
  const asked = await embedder.asked('ping');
  embedder.answer(asked, result(asked));
  expect(await answer).toEqual({});
  expect([notes, calc.stats.malformed, calc.stats.dropped]).toEqual([[], 0, 0]);
});

test('what a server says by itself arrives and is confirmed; what it asks is answered', async () => {
  const { embedder, peer } = controlScene();
  const received: string[] = [];
  peer('calc', { onNotification: (method) => void received.push(method) });
  embedder.say('calc', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, 'first');
  embedder.say('calc', { jsonrpc: '2.0', id: 'of-the-server', method: 'ping' }, 'second');
  embedder.send({ type: 'control_cancel_request', request_id: 'second' });
  const reply = await embedder.until(() => embedder.requests[0]);
  expect(reply.request.message).toEqual({ jsonrpc: '2.0', id: 'of-the-server', result: {} });
  expect(received).toEqual(['notifications/tools/list_changed']);
  expect(embedder.others).toEqual(
    ['first', 'second'].map((key) => ({
      type: 'control_response',
      response: { subtype: 'success', request_id: key, response: {} },
    })),
  );
});

test.each([
  [
    { subtype: 'mcp_message', server_name: 'other', message: { jsonrpc: '2.0', method: 'x' } },
    'no server of that name',
  ],
  [
    { subtype: 'mcp_message', server_name: 'calc', message: { jsonrpc: '2.0', id: 1, result: {} } },
    'expected a request',
  ],
  [{ subtype: 'mcp_message', server_name: 'calc' }, 'expected a request'],
  [{ subtype: 'mcp_message', server_name: {}, message: {} }, 'no server of that name'],
  [{ subtype: 'interrupt' }, 'not supported'],
])('%j is refused to the embedding program, so that it does not wait', async (request, text) => {
  const { embedder, peer } = controlScene();
  peer('calc');
  embedder.send({ type: 'control_request', request_id: 'mine', request });
  const reply = await embedder.until(() => embedder.others[0]);
  expect(reply).toMatchObject({
    type: 'control_response',
    response: { subtype: 'error', request_id: 'mine', error: expect.stringContaining(text) },
  });
});

const malformed: readonly (readonly [what: string, response: (asked: ControlRequest) => object, text: string])[] = [
  ['no mcp_response', () => ({ subtype: 'success', response: {} }), 'no "mcp_response"'],
  ['a response that is a text', () => ({ subtype: 'success', response: 'done' }), 'neither success nor error'],
  ['an unknown subtype', () => ({ subtype: 'perhaps', response: {} }), 'neither success nor error'],
  ['an answer that is a text', () => ({ subtype: 'success', response: { mcp_response: 'done' } }), 'no object'],
  [
    'the answer to something else',
    () => ({ subtype: 'success', response: { mcp_response: { jsonrpc: '2.0', id: 1, result: {} } } }),
    'does not answer it',
  ],
  [
    'an answer as notes get it',
    () => ({ subtype: 'success', response: { mcp_response: { jsonrpc: '2.0', result: {} } } }),
    'does not answer it',
  ],
  [
    'a note in place of an answer',
    () => ({ subtype: 'success', response: { mcp_response: { jsonrpc: '2.0', method: 'x' } } }),
    'does not answer it',
  ],
  [
    'an answer with a result that is none',
    (asked) => ({ subtype: 'success', response: { mcp_response: { ...result(asked), result: 7 } } }),
    'a number instead of an object',
  ],
];

test.each(malformed)('%s fails that call at once, and no other', async (_, response, text) => {
  const { embedder, peer } = controlScene();
  const calc = peer('calc');
  const [bad, good] = [failure(calc.request('tools/call', { n: 1 })), calc.request('tools/call', { n: 2 })];
  const second = await embedder.asked('tools/call', 2);
  const first = embedder.requests[0]!;
  embedder.send({ type: 'control_response', response: { ...response(first), request_id: first.request_id } });
  const { code, message } = await bad;
  expect([code, message]).toEqual(['bad-answer', expect.stringContaining(text)]);
  embedder.answer(second, result(second, { fine: true }));
  expect(await good).toEqual({ fine: true });
});

const broken: readonly (readonly [what: string, spoil: (line: string) => string, code: string, text: string])[] = [
  ['is no JSON', (line) => line.slice(0, -1), 'bad-answer', 'no JSON'],
  [
    'nests too deep',
    (line) => line.replace('"HERE"', `${'['.repeat(600)}${']'.repeat(600)}`),
    'answer-too-large',
    'deeper than 512',
  ],
  [
    'has a million values',
    (line) => line.replace('"HERE"', `[${'1,'.repeat(1_000_001)}1]`),
    'answer-too-large',
    'more than 1,000,000 values',
  ],
  ['has 17 MB', (line) => line.replace('HERE', 'x'.repeat(17_000_000)), 'answer-too-large', 'more than 16 MB'],
];

test.each((['first', 'last'] as const).flatMap((place) => broken.map((row) => [place, ...row] as const)))(
  'with the id of its envelope %s, an answer that %s fails that one call',
  async (place, _, spoil, code, text) => {
    const { embedder, peer } = controlScene();
    const calc = peer('calc');
    const [bad, good] = [failure(calc.request('tools/call', { n: 1 })), calc.request('tools/call', { n: 2 })];
    const second = await embedder.asked('tools/call', 2);
    const first = embedder.requests[0]!;
    const id = { request_id: first.request_id };
    const body = { subtype: 'success', response: { mcp_response: result(first, { text: 'HERE' }) } };
    const response = place === 'first' ? { ...id, ...body } : { ...body, ...id };
    embedder.raw(`${spoil(JSON.stringify({ type: 'control_response', response }))}\n`);
    embedder.answer(second, result(second, { fine: true }));
    expect(await good).toEqual({ fine: true });
    const error = await bad;
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(text)]);
  },
);

test('an answer of 10 MB arrives, byte by byte at its seams', async () => {
  const { embedder, peer } = controlScene();
  const answer = peer('calc').request('tools/call');
  const asked = await embedder.asked('tools/call');
  const text = 'äöü€'.repeat(1_200_000);
  const line = Buffer.from(
    `${JSON.stringify({
      type: 'control_response',
      response: {
        subtype: 'success',
        request_id: asked.request_id,
        response: { mcp_response: result(asked, { text }) },
      },
    })}\r\n`,
  );
  for (const byte of line.subarray(0, 300)) embedder.raw(Buffer.from([byte]));
  embedder.raw(line.subarray(300, -5));
  for (const byte of line.subarray(-5)) embedder.raw(Buffer.from([byte]));
  expect((await answer)['text'] === text).toBe(true);
});

test('an error of the embedding program is the error of that call, cleaned and cut', async () => {
  const { embedder, peer } = controlScene();
  const failing = failure(peer('calc').request('tools/call'));
  const { request_id: key } = await embedder.asked('tools/call');
  const error = `Server 'calc' not found \u001B[31m\u202E${'x'.repeat(100_000)}`;
  embedder.send({ type: 'control_response', response: { subtype: 'error', request_id: key, error } });
  const { code, message } = await failing;
  expect(code).toBe('server-error');
  expect(message).toMatch(/^Server "calc" answered tools\/call with an error: Server 'calc' not found x+/u);
  expect(Buffer.byteLength(message)).toBeLessThan(4_096);
});

test('an answer that nobody waits for is dropped: an unknown id, one that came twice, one too late', async () => {
  const { embedder, peer } = controlScene();
  const calc = peer('calc');
  const late = failure(calc.request('tools/call', {}, { timeoutMs: 20 }));
  const first = await embedder.asked('tools/call');
  expect((await late).code).toBe('call-timeout');
  expect((await embedder.asked('notifications/cancelled')).request.message['params']).toMatchObject({
    requestId: first.request.message['id'],
  });
  embedder.answer(first, result(first));
  embedder.send({ type: 'control_response', response: { subtype: 'success', request_id: 'guessed', response: {} } });
  const answer = calc.request('ping');
  const asked = await embedder.asked('ping');
  embedder.answer(asked, result(asked, { n: 1 }));
  embedder.answer(asked, result(asked, { n: 2 }));
  expect(await answer).toEqual({ n: 1 });
});
