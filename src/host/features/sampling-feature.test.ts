import { expect, test } from 'vitest';
import { type Asked, AskingLegacy, askingModern, meetAsking } from '../../../test/eras/asking-server.js';
import { callText } from '../../../test/eras/stand-in.js';
import { FakeClock, turn } from '../../../test/fake-clock.js';
import { systemClock } from '../../edge/clock.js';
import type { SamplingRequest, SamplingResult } from '../../model/sampling.js';
import { JsonRpcFailure } from '../../wire/inbound.js';
import { type SamplingOptions, samplingFeature } from './sampling-feature.js';

const user = { role: 'user', content: { type: 'text', text: 'Hi' } };
const params = { messages: [user], maxTokens: 10 };
const asked: Asked = { method: 'sampling/createMessage', params };
const hello: SamplingResult = { role: 'assistant', content: [{ type: 'text', text: 'Hello' }], model: 'm' };
const sent = { ...hello, content: { type: 'text', text: 'Hello' } };

const KEY = `ghp_${'a1'.repeat(18)}`;

/** A model that answers as a test defines, and records its requests. */
class Model {
  readonly asked: SamplingRequest[] = [];
  readonly signals: AbortSignal[] = [];
  readonly #answer: (request: SamplingRequest, signal: AbortSignal) => unknown;

  constructor(answer: (request: SamplingRequest, signal: AbortSignal) => unknown = () => hello) {
    this.#answer = answer;
  }

  async createMessage(request: SamplingRequest, signal: AbortSignal): Promise<SamplingResult> {
    this.asked.push(request);
    this.signals.push(signal);
    return (await this.#answer(request, signal)) as SamplingResult;
  }
}

const permit = (): Promise<'allow'> => Promise.resolve('allow');

function serve(options: Partial<SamplingOptions> = {}): ReturnType<typeof samplingFeature> {
  return samplingFeature({ server: 'db', model: new Model(), permit, clock: systemClock, ...options });
}

/** What the server receives: a result, or an error's code and message. */
async function ask(
  serving: ReturnType<typeof serve>,
  more: object = {},
  signal = new AbortController().signal,
): Promise<unknown> {
  try {
    return await serving.handlers!['sampling/createMessage']!({ ...params, ...more }, { signal });
  } catch (error) {
    return error instanceof JsonRpcFailure ? [error.code, error.message] : error;
  }
}

test('without a model nothing is declared, and with one no context', () => {
  expect(serve({ model: undefined })).toEqual({});
  expect(serve().capabilities).toEqual({ sampling: { tools: {} } });
});

test.each([
  ['modern', askingModern([asked, asked])],
  ['old', new AskingLegacy([asked, asked])],
])('a %s server gets what the model says', async (_, server) => {
  const model = new Model();
  await using connection = await meetAsking(server, serve({ model }));
  expect(JSON.parse(await callText(connection))).toEqual([sent, sent]);
  expect(model.asked[0]).toMatchObject({ server: 'db', maxTokens: 10, messages: [{ content: [{ text: 'Hi' }] }] });
});

test('the user says no: an old server reads it, a call of a modern one ends, and no model is asked', async () => {
  const model = new Model();
  const serving = serve({ model, permit: () => Promise.resolve('deny') });
  await using old = await meetAsking(new AskingLegacy([asked]), serving);
  expect(JSON.parse(await callText(old))).toEqual([{ code: -1, message: 'User rejected sampling request' }]);
  await using modern = await meetAsking(askingModern([asked]), serving);
  await expect(callText(modern)).rejects.toThrow(/User rejected sampling request/u);
  expect(await ask(serve({ model, permit: () => Promise.reject(new Error('x')) }))).toEqual([
    -1,
    'User rejected sampling request',
  ]);
  expect(model.asked).toEqual([]);
});

test('whoever is asked sees what the model will', async () => {
  const seen: SamplingRequest[] = [];
  const model = new Model();
  const looking: SamplingOptions['permit'] = (request) => {
    seen.push(request);
    return Promise.resolve('allow');
  };
  await ask(serve({ model, permit: looking }), { systemPrompt: 'a\u200bb' });
  expect(seen).toEqual(model.asked);
  expect(seen[0]?.systemPrompt).toBe('ab');
});

test.each([
  ['asks for nonsense', { maxTokens: 'many' }, [-32602, 'maxTokens has to be a whole number above 0']],
  [
    'breaks off a use of a tool',
    { messages: [user, { role: 'assistant', content: { type: 'tool_use', id: '1', name: 'x', input: {} } }] },
    [-32602, 'the last message has a tool_use without its tool_result'],
  ],
])('a server that %s is told so', async (_, more, told) => {
  expect(await ask(serve(), more)).toEqual(told);
});

test.each([
  [
    'fails, with its key in the message',
    () => Promise.reject(new Error(`bad key ${KEY}\n\u001b[31m`)),
    /^The model gave no answer: bad key ••••/u,
  ],
  ['throws something odd', () => Promise.reject('odd'), /^The model gave no answer: odd$/u],
  ['says nothing', () => undefined, /cannot be used: it is no object/u],
  ['says what cannot be sent', () => ({ ...hello, content: { type: 'text', text: 'x', big: 1n } }), /BigInt/u],
])('a model that %s is a failure, and no more', async (_, answer, reason) => {
  const serving = serve({ model: new Model(answer) });
  expect(await ask(serving)).toEqual([-32603, expect.stringMatching(reason)]);
  expect(JSON.stringify(await ask(serving))).not.toContain(KEY);
});

test('two at a time use the model, and the others wait their turn', async () => {
  const going: ((answer: SamplingResult) => void)[] = [];
  const model = new Model(() => new Promise<SamplingResult>((resolve) => void going.push(resolve)));
  const serving = serve({ model });
  const abort = new AbortController();
  const all = [ask(serving), ask(serving), ask(serving, {}, abort.signal), ask(serving)];
  await turn();
  expect(model.asked).toHaveLength(2);
  abort.abort();
  going[0]!(hello);
  await turn();
  expect(model.asked).toHaveLength(3);
  for (const go of going) go(hello);
  const [first, second, third, fourth] = await Promise.all(all);
  expect([first, second, fourth]).toEqual([sent, sent, sent]);
  expect(third).toBeInstanceOf(Error);
});

test('a request that is taken back is taken back from the model, even one that does not listen', async () => {
  const model = new Model(() => new Promise(() => {}));
  const serving = serve({ model });
  const server = new AskingLegacy([asked]);
  await using connection = await meetAsking(server, serving);
  const call = callText(connection).catch(() => 'over');
  await expect.poll(() => model.signals.length).toBe(1);
  server.cancel(0);
  await expect.poll(() => model.signals[0]?.aborted).toBe(true);
  await connection[Symbol.asyncDispose]();
  expect(await call).toBe('over');
});

test('a model that has been forgotten is given up', async () => {
  const clock = new FakeClock();
  const model = new Model(() => new Promise(() => {}));
  const answer = ask(serve({ model, clock }));
  await turn();
  await clock.pass(600_000);
  expect(await answer).toEqual([-32603, expect.stringContaining('longer than 600000 ms')]);
  expect(model.signals[0]?.aborted).toBe(true);
  expect(clock.timers).toBe(0);
});

test('a server asks twenty times a minute at most', async () => {
  const clock = new FakeClock();
  const serving = serve({ clock });
  for (let count = 0; count < 20; count++) expect(await ask(serving)).toEqual(sent);
  expect(await ask(serving)).toEqual([-32000, 'Too many sampling requests; 20 a minute is the limit']);
  await clock.pass(60_000);
  expect(await ask(serving)).toEqual(sent);
});

test('and ten times in the course of one call', async () => {
  let idlePeriod = 0;
  const serving = serve({ idlePeriod: () => idlePeriod });
  for (let count = 0; count < 10; count++) expect(await ask(serving)).toEqual(sent);
  expect(await ask(serving)).toEqual([-32000, expect.stringContaining('in the course of one call')]);
  idlePeriod++;
  expect(await ask(serving)).toEqual(sent);
});

const round = (id: string): object[] => [
  { role: 'assistant', content: { type: 'tool_use', id, name: 'look', input: {} } },
  { role: 'user', content: { type: 'tool_result', toolUseId: id, content: [] } },
];

const rounds = (count: number): object => ({
  messages: [user, ...Array.from({ length: count }, (_, index) => round(String(index))).flat()],
});

test('a conversation goes through ten rounds of tools at most', async () => {
  expect(await ask(serve(), rounds(9))).toEqual(sent);
  expect(await ask(serve(), rounds(10))).toEqual([-32000, expect.stringContaining('rounds of tools')]);
});
