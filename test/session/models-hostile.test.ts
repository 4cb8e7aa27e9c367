import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FakeClock } from '../fake-clock.js';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { localDialect, type OpenaiTurn } from '../fixtures/openai-dialect.js';
import { openScriptedApi, type Reply, type ScriptedApi } from '../fixtures/scripted-api.js';
import { anthropicAt, HELLO, receive, openaiAt, wordsOf } from './models-scene.js';

const LONG = 'Good morning to you all, and to everybody else';
const said = [{ type: 'text', text: LONG }];

function openAnthropic(reply: Reply<AnthropicTurn>): Promise<ScriptedApi> {
  return openScriptedApi<AnthropicTurn & object>(anthropicDialect, () => reply);
}

function openLocal(reply: Reply<OpenaiTurn>): Promise<ScriptedApi> {
  return openScriptedApi(localDialect, () => reply);
}

const START = `data: ${JSON.stringify({
  type: 'message_start',
  message: { id: 'm', model: 'x', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
})}\n\n`;

test('an answer without an end is ended, and does not fill the memory', async () => {
  const piece = `data: ${JSON.stringify({ type: 'ping', filler: 'x'.repeat(60_000) })}\n\n`;
  await using api = await openAnthropic({ mischief: 'flood', text: START, piece });
  const before = process.memoryUsage().rss;
  const received = await receive(anthropicAt(api.url, { limits: { answerBytes: 8_000_000 } }));
  expect(received.error!.message).toMatch(/an answer of more than 8000000 bytes/u);
  await api.left(1);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

test('a line without an end is ended', async () => {
  await using api = await openLocal({ mischief: 'flood', text: 'data: {"a":"', piece: 'y'.repeat(60_000) });
  const received = await receive(openaiAt(api.url, { limits: { eventBytes: 1_000_000 } }));
  expect(received.error!.message).toMatch(/an event of more than 1000000 bytes/u);
});

test('an answer of very many parts is ended', async () => {
  const turn = Array.from({ length: 50 }, () => ({ type: 'text', text: 'A' }));
  await using api = await openAnthropic(turn);
  const received = await receive(anthropicAt(api.url, { limits: { parts: 20 } }));
  expect(received.error!.message).toMatch(/more than 20 parts/u);
});

test('an answer that goes silent is ended, and one that is never begun, too', async () => {
  const clock = new FakeClock();
  await using api = await openAnthropic({ mischief: 'stall', turn: said, share: 0.7 });
  const model = anthropicAt(api.url, { clock });
  const received = await receive(model, HELLO, {
    onEvent: ({ kind }) => void (kind === 'text' && nextTurn().then(() => clock.pass(300_001))),
  });
  expect(received.error!.message).toMatch(/said nothing for 300000 ms/u);
  await api.left(1);
  await using mute = await openAnthropic(undefined);
  const never = await receive(anthropicAt(mute.url, { limits: { firstByteMs: 300 } }));
  expect(never.error!.message).toMatch(/no response headers within 300 ms/u);
});

test.each([
  ['what is no JSON', 'data: {"type":\n\n'],
  ['a block twice', START + START.replace('"m"', '"n"')],
  ['other types', 'data: 7\n\ndata: null\n\ndata: []\n\n'],
  ['a deep nest', `data: ${'['.repeat(100_000)}${']'.repeat(100_000)}\n\n`],
  ['nothing', ''],
])('an answer of %s is a failure, and nothing worse', async (_, text) => {
  await using api = await openAnthropic({ mischief: 'say', text });
  await using other = await openLocal({ mischief: 'say', text });
  const fast = { random: () => 0, clock: hasty() };
  const results = await Promise.all([receive(anthropicAt(api.url, fast)), receive(openaiAt(other.url, fast))]);
  expect(results.map(({ error, parts }) => [error?.code, parts])).toEqual([
    ['model-failed', []],
    ['model-failed', []],
  ]);
});

test('arguments that are nested too deep are told to the model, and nobody else is harmed by them', async () => {
  const deep = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
  const calls = [{ id: 'call_1', name: 'look', arguments: deep }];
  await using api = await openScriptedApi({ ...localDialect, misreadings: () => [] }, (): Reply<OpenaiTurn> => ({
    calls,
  }));
  const { parts, error } = await receive(openaiAt(api.url));
  expect(error).toBeUndefined();
  expect(parts).toMatchObject([{ kind: 'call', input: {}, fault: expect.stringMatching(/deeper than 200/u) }]);
});

const line = (type: string, more: object): string => `data: ${JSON.stringify({ type, ...more })}\n\n`;
const deep = (count: number): unknown => JSON.parse(`${'['.repeat(count)}${']'.repeat(count)}`);
const END =
  line('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 1 } }) +
  line('message_stop', {});

test('what is nested too deep to be sent again is left out, or told where it is what a call is made with', async () => {
  const blocks = [
    { type: 'text', text: 'a', strange: deep(1_000) },
    { type: 'tool_use', id: 't', name: 'look', input: { a: deep(300) } },
    { type: 'server_tool_use', id: 's', name: 'web_search', input: {}, caller: deep(1_000) },
  ];
  const cited = line('content_block_delta', {
    index: 0,
    delta: { type: 'citations_delta', citation: { x: deep(1_000) } },
  });
  const text = blocks.map((block, index) => line('content_block_start', { index, content_block: block })).join('');
  const stops = blocks.map((_, index) => line('content_block_stop', { index })).join('');
  await using api = await openAnthropic({ mischief: 'say', text: START + text + cited + stops + END });
  const { parts, error } = await receive(anthropicAt(api.url));
  expect(error).toBeUndefined();
  expect(parts).toEqual([
    { kind: 'text', text: 'a' },
    { kind: 'call', id: 't', name: 'look', input: {}, fault: expect.stringMatching(/deeper than 200/u) },
    { kind: 'provider-call', id: 's', name: 'web_search', input: {}, extra: { type: 'server_tool_use' } },
  ]);
});

test('blocks whose end is never told are whole when the answer is; a call without arguments is not guessed', async () => {
  const use = (index: number): string =>
    line('content_block_start', { index, content_block: { type: 'tool_use', id: `t${index}`, name: 'x', input: {} } });
  const text =
    line('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    line('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Good' } }) +
    use(1) +
    line('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } }) +
    use(2);
  await using api = await openAnthropic({ mischief: 'say', text: START + text + END });
  expect((await receive(anthropicAt(api.url))).parts).toEqual([
    { kind: 'text', text: 'Good' },
    { kind: 'call', id: 't1', name: 'x', input: { a: 1 } },
    { kind: 'call', id: 't2', name: 'x', input: {}, fault: 'its arguments never came' },
  ]);
});

test.each(['stall', 'silence', 'pause', 'reading'] as const)(
  'the user can stop the model at any time: during %s',
  async (when) => {
    const replies = {
      stall: { mischief: 'stall', turn: said, share: 0.7 },
      silence: undefined,
      pause: { mischief: 'refuse', status: 529 },
      reading: said,
    } as const;
    await using api = await openAnthropic(replies[when]);
    const stop = new AbortController();
    const model = anthropicAt(api.url, { clock: new FakeClock() });
    const receivedMessages = receive(model, HELLO, {
      signal: stop.signal,
      onEvent: ({ kind }) => void ((kind === 'text' || kind === 'retry') && stop.abort()),
    });
    await api.asked(1);
    if (when === 'silence') stop.abort();
    const received = await receivedMessages;
    expect([received.error?.code, received.end]).toEqual(['cancelled', undefined]);
    if (when === 'stall' || when === 'silence') await api.left(1);
    expect(api.requests).toHaveLength(1);
  },
);

test('whoever stops listening ends the request', async () => {
  await using api = await openLocal({ mischief: 'stall', turn: { content: LONG }, share: 0.8 });
  // The clock stands still, so the connection is closed without a wait.
  const model = openaiAt(api.url, { clock: new FakeClock() });
  for await (const event of model.stream(HELLO, new AbortController().signal)) if (event.kind === 'text') break;
  await api.left(1);
  expect(api.abandoned).toBe(1);
});

test('a connection on which the end is late is kept, and nobody waits for that end', async () => {
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const turn = { content: LONG };
  await using api = await openScriptedApi<OpenaiTurn>(localDialect, (count) =>
    count === 1 ? { mischief: 'wait', turn, share: 1, gate } : turn,
  );
  const model = openaiAt(api.url, { clock: new FakeClock() });
  expect((await receive(model)).end?.reason).toBe('done');
  expect((await receive(model)).end?.reason).toBe('done');
  expect(api.abandoned).toBe(0);
  open?.();
});

test('a signal that was used for many answers is left alone by all of them', async () => {
  await using api = await openLocal({ mischief: 'linger', turn: { content: LONG } });
  const { signal } = new AbortController();
  const model = openaiAt(api.url, { clock: new FakeClock() });
  for (let count = 0; count < 3; count++) await receive(model, HELLO, { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a signal that is aborted already asks nobody', async () => {
  await using api = await openAnthropic(said);
  const received = await receive(anthropicAt(api.url), HELLO, { signal: AbortSignal.abort() });
  expect([received.error?.code, api.requests]).toEqual(['cancelled', []]);
});

test('words come while the rest is still on its way', async () => {
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  await using api = await openAnthropic({ mischief: 'wait', turn: said, share: 0.75, gate });
  const received = await receive(anthropicAt(api.url), HELLO, { onEvent: () => open?.() });
  expect(wordsOf(received)).toBe(LONG);
});

test('an endpoint that is slow to be read is not read ahead of', async () => {
  const piece = `data: ${JSON.stringify({ type: 'ping', filler: 'x'.repeat(60_000) })}\n\n`;
  const turn =
    START +
    `data: ${JSON.stringify({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } })}\n\n`;
  await using api = await openAnthropic({ mischief: 'flood', text: turn, piece });
  const reading = anthropicAt(api.url).stream(HELLO, new AbortController().signal)[Symbol.asyncIterator]();
  expect((await reading.next()).value).toEqual({ kind: 'text', text: 'Hi' });
  // Waits until the client reads no more: the buffers in between hold a few megabytes.
  for (let taken = -1, idle = 0; idle < 100; idle = api.bytesTaken === taken ? idle + 1 : 0) {
    taken = api.bytesTaken;
    await nextTurn();
    expect(taken).toBeLessThan(20_000_000);
  }
  await reading.return?.();
  await api.left(1);
});

/** A clock whose timers below 100 s run out at once. */
function hasty(): FakeClock {
  const clock = new FakeClock();
  return Object.assign(clock, {
    after: (_: number, run: () => void): Disposable => {
      const timer = _ < 100_000 ? setImmediate(run) : undefined;
      return { [Symbol.dispose]: () => clearImmediate(timer) };
    },
  });
}
