import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { ModelEvent } from '../../src/session/model-port.js';
import { contextFullOf } from '../../src/session/models/context-full.js';
import { FakeClock, turn } from '../fake-clock.js';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { openaiDialect, type OpenaiTurn } from '../fixtures/openai-dialect.js';
import { openScriptedApi, type Reply, type ScriptedApi } from '../fixtures/scripted-api.js';
import { anthropicAt, type Received, receive, KEY, openaiAt, toEndpoint, wordsOf } from './models-scene.js';

const said = [{ type: 'text', text: 'Good morning to you all' }];

function openAnthropic(...turns: readonly Reply<AnthropicTurn>[]): Promise<ScriptedApi> {
  return openScriptedApi(anthropicDialect, (count) => turns[count - 1], {
    models: ['claude-sonnet-5-5', 'claude-opus-5'],
  });
}

function openOpenai(...turns: readonly Reply<OpenaiTurn>[]): Promise<ScriptedApi> {
  return openScriptedApi(openaiDialect, (count) => turns[count - 1], { models: ['qwen3', 'llama4'] });
}

/** Receives one response with a clock that advances at every retry wait. */
function receiveWithClock(api: ScriptedApi, openAt = anthropicAt): Promise<Received> {
  const clock = new FakeClock();
  const model = openAt(api.url, { clock, random: () => 0.5 });
  return receive(model, undefined, {
    onEvent: (event) => {
      if (event.kind === 'retry') void turn().then(() => clock.pass(event.afterMs));
    },
  });
}

function retriesOf({ events }: Received): Extract<ModelEvent, { kind: 'retry' }>[] {
  return events.filter((event) => event.kind === 'retry');
}

const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const refuse = (status: number, body: string | object = '', headers: Record<string, string> = {}) =>
  ({ mischief: 'refuse', status, body, headers }) as const;

test('what may go well a moment later is asked for again, each time after twice as long', async () => {
  await using api = await openAnthropic(refuse(529, overloaded), refuse(500), refuse(409), said);
  const received = await receiveWithClock(api);
  expect([received.error, wordsOf(received)]).toEqual([undefined, 'Good morning to you all']);
  expect(retriesOf(received)).toEqual([
    { kind: 'retry', attempt: 1, afterMs: 500, reason: 'HTTP 529' },
    { kind: 'retry', attempt: 2, afterMs: 1000, reason: 'HTTP 500' },
    { kind: 'retry', attempt: 3, afterMs: 2000, reason: 'HTTP 409' },
  ]);
  expect(new Set(api.received.map(({ text }) => text)).size).toBe(1);
});

test('after four tries the user hears why, and how long an API wants to be left alone counts', async () => {
  const late = refuse(429, { type: 'error', error: { message: 'Slow down' } }, { 'retry-after': '7' });
  const longer = refuse(429, 'no', { 'retry-after': '3600' });
  await using api = await openAnthropic(late, longer, refuse(503, '', { 'retry-after-ms': '40' }), late);
  const received = await receiveWithClock(api);
  expect(retriesOf(received).map(({ afterMs }) => afterMs)).toEqual([7000, 60_000, 40]);
  expect(received.error).toMatchObject({ code: 'model-failed', hint: expect.stringContaining('limits') });
  expect(received.error!.message).toMatch(/answered HTTP 429: Slow down$/u);
  expect(api.requests).toHaveLength(4);
});

test('an API that says not to ask again is not asked again', async () => {
  await using api = await openAnthropic(refuse(503, '', { 'x-should-retry': 'false' }));
  const received = await receiveWithClock(api);
  expect([received.error?.code, retriesOf(received)]).toEqual(['model-failed', []]);
});

test('an answer that begins with an error is asked for again, and so is one that breaks off before a word', async () => {
  const error = { mischief: 'say', text: `event: error\ndata: ${JSON.stringify(overloaded)}\n\n` } as const;
  await using api = await openAnthropic(error, { mischief: 'cut', turn: said, share: 0.1 }, said);
  const received = await receiveWithClock(api);
  expect([received.error, wordsOf(received), retriesOf(received).length]).toEqual([
    undefined,
    'Good morning to you all',
    2,
  ]);
});

test.each<[fault: unknown, retries: number]>([
  [{ code: 503 }, 1],
  [{ code: '429' }, 1],
  [{ code: 'rate_limit_exceeded' }, 1],
  [{ type: 'server_error' }, 1],
  [{ code: 400, type: 'invalid_request_error' }, 0],
  ['No GPU', 0],
])('an answer that begins with the error %j is asked for again where that may help', async (fault, retries) => {
  const text = `data: ${JSON.stringify({ error: fault })}\n\n`;
  await using api = await openOpenai({ mischief: 'say', text }, { content: 'Good' });
  const received = await receiveWithClock(api, openaiAt);
  expect([retriesOf(received).length, wordsOf(received)]).toEqual([retries, retries === 0 ? '' : 'Good']);
});

test('an answer that breaks off in the middle is not asked for again, and is told as that', async () => {
  await using api = await openAnthropic({ mischief: 'cut', turn: said, share: 0.6 });
  const received = await receiveWithClock(api);
  expect(wordsOf(received)).not.toBe('');
  expect([received.error?.code, received.end, retriesOf(received)]).toEqual(['model-failed', undefined, []]);
  expect(received.error!.message).toMatch(/in the middle of its answer/u);
  await using other = await openOpenai({ mischief: 'cut', turn: { content: 'Good morning to you all' }, share: 0.6 });
  const cut = await receive(openaiAt(other.url));
  expect([cut.error?.code, cut.end]).toEqual(['model-failed', undefined]);
});

test('an answer that ends without saying so is no whole answer', async () => {
  const text = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Good"}}]}\n\n';
  await using api = await openOpenai({ mischief: 'say', text });
  const received = await receive(openaiAt(api.url));
  expect([wordsOf(received), received.error?.message]).toEqual([
    'Good',
    expect.stringMatching(/broke off in the middle/u),
  ]);
});

test('an error in the middle of an answer is told in the words of the API', async () => {
  const begin = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Good"}}]}\n\n';
  const error = 'data: {"error":{"message":"The GPU\\u001b[31m is on fire","code":500}}\n\n';
  await using api = await openOpenai({ mischief: 'say', text: begin + error });
  const { message, hint } = (await receive(openaiAt(api.url))).error!;
  expect(message).toMatch(/failed in the middle of its answer: The GPU is on fire$/u);
  expect(hint).toMatch(/Send your message again/u);
});

test.each([
  [
    401,
    { error: { message: `Incorrect API key: ${KEY}` } },
    /HTTP 401: Incorrect API key: ••••/u,
    /ANTHROPIC_API_KEY/u,
  ],
  [403, { error: 'not for you' }, /HTTP 403: not for you/u, /ANTHROPIC_API_KEY/u],
  [404, { error: { message: 'model: nope' } }, /HTTP 404 for the model "claude-sonnet-5"/u, /claude-sonnet-5-5/u],
  [
    400,
    { error: { message: 'prompt is too long: 2 tokens > 1 maximum' } },
    /HTTP 400: prompt is too long/u,
    /\/clear/u,
  ],
  [413, '<html>Too large</html>', /HTTP 413$/u, /\/clear/u],
  [422, { detail: 'unprocessable' }, /HTTP 422: unprocessable/u, /--model/u],
  [302, '', /HTTP 302$/u, /ANTHROPIC_BASE_URL/u],
])('HTTP %i is told with what to do about it', async (status, body, message, hint) => {
  await using api = await openAnthropic(refuse(status, body));
  const { error, events } = await receive(anthropicAt(api.url, { name: 'claude-sonnet-5' }));
  expect([error?.code, events]).toEqual(['model-failed', []]);
  expect(error!.message).toMatch(message);
  expect(error!.hint).toMatch(hint);
  expect(JSON.stringify([error, error!.stack, String(error!.cause)])).not.toContain(KEY);
});

test('a conversation that is too long is told with the limit, also where the answer itself says so', async () => {
  const full = { type: 'exceed_context_size_error', message: 'the request exceeds the context size', n_ctx: 8_192 };
  await using api = await openOpenai(refuse(500, { error: full }), {
    mischief: 'say',
    text: `data: ${JSON.stringify({ error: { ...full, code: 500 } })}\n\n`,
  });
  for (const at of [1, 2]) {
    const { error } = await receive(openaiAt(api.url));
    expect(contextFullOf(error!)).toEqual({ limit: 8_192 });
    expect(error!.hint).toMatch(/\/clear/u);
    // It would be refused again.
    expect(api.requests).toHaveLength(at);
  }
});

test.each([
  ['no JSON', `{"oops ${KEY}`],
  ['nothing of this API', `{"oops":"${KEY}"}`],
])('a line that is %s is not quoted with the key in it, whoever looks for the cause', async (_, line) => {
  await using api = await openOpenai({ mischief: 'say', text: `data: ${line}${' '.repeat(100_000)}\n\n` });
  const { error } = await receive(openaiAt(api.url));
  const shown = inspect(error);
  expect(error!.message).toMatch(/that this API does not have/u);
  expect(shown).toContain('oops');
  expect(shown).not.toContain(KEY);
  expect(shown.length).toBeLessThan(5_000);
});

test('an error is cut, and nothing in it moves the cursor', async () => {
  await using api = await openOpenai(refuse(400, { error: { message: `\u001b[2J${'long '.repeat(8_000)}` } }));
  const { message } = (await receive(openaiAt(api.url))).error!;
  expect(message.length).toBeLessThan(500);
  expect(message).toMatch(/HTTP 400: long long/u);
});

test('a server that is not running on this machine is asked for at once', async () => {
  const url = await closedUrl();
  const { error, events } = await receive(openaiAt(url));
  expect(events).toEqual([]);
  expect(error).toMatchObject({ code: 'model-failed', message: expect.stringContaining('refused the connection') });
  expect(error!.hint).toMatch(/Is Ollama, or your other model server, running at http:\/\/127\.0\.0\.1:\d+\/v1\?/u);
});

test('a page that is no API is told as that', async () => {
  await using api = await openOpenai({ mischief: 'say', type: 'text/html', text: '<html>' });
  const { message, hint } = (await receive(openaiAt(api.url))).error!;
  expect(message).toMatch(/answered with text\/html instead of a stream of events/u);
  expect(hint).toMatch(/the address of an API like OpenAI's/u);
});

test('an error that comes as success is told as an error', async () => {
  await using api = await openOpenai({
    mischief: 'say',
    type: 'application/json',
    text: '{"error":{"message":"No GPU"}}',
  });
  expect((await receive(openaiAt(api.url))).error!.message).toMatch(/No GPU$/u);
});

test('a variable for a proxy that is none is named', async () => {
  const endpoint = toEndpoint('anthropic', 'https://models.example.test', { HTTPS_PROXY: 'http://user:pa55@' });
  const { error } = await receive(anthropicAt('https://models.example.test', { endpoint }));
  expect([error?.code, error?.message]).toEqual(['model-failed', expect.stringContaining('HTTPS_PROXY')]);
  expect(JSON.stringify(error)).not.toContain('pa55');
});

async function closedUrl(): Promise<string> {
  const api = await openOpenai();
  await api[Symbol.asyncDispose]();
  return api.url;
}
