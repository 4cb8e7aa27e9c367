// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
import type { JsonObject } from '../../../src/base/json.js';
import { type Behaviour, byHand, only, said, streaming } from '../behaviour.js';
import { type Handler, type Outcome, textOf } from '../clients/contract-client.js';
import type { Stage } from '../stage.js';
import { odd } from './malformed.js';

const bad = { error: 'bad-answer' };
const form = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const url = { mode: 'url', message: 'Sign here', url: 'https://example.com/sign', elicitationId: '1' };
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 };
const requests = {
  who: { method: 'elicitation/create', params: form },
  sign: { method: 'elicitation/create', params: url },
  think: { method: 'sampling/createMessage', params: sampling },
  where: { method: 'roots/list' },
};
const answers = {
  who: { action: 'accept', content: { name: 'Ada' } },
  sign: { action: 'decline' },
  think: { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'mock' },
  where: { roots: [{ uri: 'file:///home', name: 'home' }] },
};
const handlers: Readonly<Record<string, Handler>> = {
  'elicitation/create': ({ mode }) => (mode === 'url' ? answers.sign : answers.who),
  'sampling/createMessage': () => answers.think,
  'roots/list': () => answers.where,
};
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const answering = { client: { capabilities, handlers } };
/** Characters that a careless client would trim, decode or normalise. */
const STATE = ' {"a": 1.0}\n\u0000\u00e9e\u0301\ud83d\ude00\u2028=?base64?x?= %41&amp; ';
const asking = { inputRequests: { who: requests.who } };
const told = { inputResponses: { who: answers.who } };

/** A modern server that needs input: the client makes the call again, with the input responses. */
export const rounds = only('modern', [
  round('a question is answered, and the call is made again under another id', [asking], [{}, told]),
  round(
    'one call may be asked several times, about one thing each',
    [
      { ...asking, requestState: 'one' },
      { inputRequests: { where: requests.where }, requestState: 'two' },
      { inputRequests: { think: requests.think } },
    ],
    [
      {},
      { ...told, requestState: 'one' },
      { inputResponses: { where: answers.where }, requestState: 'two' },
      { inputResponses: { think: answers.think } },
    ],
  ),
  round(
    'one call may be asked about everything at once',
    [{ inputRequests: requests, requestState: 'all' }],
    [{}, { inputResponses: answers, requestState: 'all' }],
  ),
  round(
    'the state of a call comes back to the byte',
    [{ ...asking, requestState: STATE }],
    [{}, { ...told, requestState: STATE }],
  ),
  round(
    'a state of a hundred kilobytes comes back whole',
    [{ ...asking, requestState: 'é'.repeat(50_000) }],
    [{}, { ...told, requestState: 'é'.repeat(50_000) }],
  ),
  round(
    'a server that only wants to be asked again is asked again',
    [{ requestState: 'later' }, { requestState: 'even later' }],
    [{}, { requestState: 'later' }, { requestState: 'even later' }],
  ),
  round('a call is made again ten times', repeated(10), [{}, ...Array.from({ length: 10 }, () => told)]),
  {
    title: 'a server that asks for ever is given up',
    own: answering,
    run: async (stage) => {
      const outcome = await stage.call('rounds', { key: 'for ever', plan: repeated(100) });
      return [outcome, textOf(await stage.call('tried', { key: 'for ever' }))];
    },
    expected: [{ error: 'input' }, '11'],
  },
  {
    title: 'a state belongs to its own call, and to no other at the same time',
    own: answering,
    run: async (stage) => {
      await stage.client().listTools();
      const keys = ['a', 'b', 'c', 'd', 'e'];
      const outcomes = keys.map((key) => stage.call('rounds', { key, plan: twice(key) }));
      const others = keys.map((key) => stage.call('rounds', { key: `not ${key}`, plan: [] }));
      return (await Promise.all([...outcomes, ...others])).map(brought);
    },
    expected: [
      ...['a', 'b', 'c', 'd', 'e'].map((key) => [
        {},
        { ...told, requestState: `first of ${key}` },
        { ...told, requestState: `second of ${key}` },
      ]),
      ...Array.from({ length: 5 }, () => [{}]),
    ],
  },
  {
    title: 'what was not declared is refused, and the call is not made again',
    own: { client: { capabilities: { roots: {} }, handlers: { 'roots/list': handlers['roots/list']! } } },
    servers: byHand, // SDK servers would not ask
    run: async (stage) => {
      const outcome = await stage.call('rounds', { key: 'undeclared', plan: [asking] });
      return [outcome, textOf(await stage.call('tried', { key: 'undeclared' }))];
    },
    expected: [{ error: 'unsupported' }, '1'],
  },
  {
    title: 'what was not declared is refused, though somebody could answer it',
    own: { client: { capabilities: { roots: {} }, handlers } },
    servers: byHand,
    run: async (stage) => {
      const outcome = await stage.call('rounds', { key: 'undeclared', plan: [asking] });
      return [outcome, textOf(await stage.call('tried', { key: 'undeclared' }))];
    },
    expected: [{ error: 'unsupported' }, '1'],
  },
  {
    title: 'what nobody answers ends the call, and the next one is made',
    own: {
      client: {
        capabilities,
        handlers: { ...handlers, 'elicitation/create': () => Promise.reject(new Error('secret path')) },
      },
    },
    run: async (stage) => {
      const outcome = await stage.call('rounds', { key: 'unanswered', plan: [asking] });
      return [
        outcome,
        textOf(await stage.call('tried', { key: 'unanswered' })),
        await stage.call('echo', { text: 'next' }),
      ];
    },
    expected: [{ error: 'input' }, '1', said('next')],
  },
  {
    title: 'whoever cancels while a question is open is free at once',
    own: { client: { capabilities, handlers: { ...handlers, 'elicitation/create': untilAborted } } },
    run: async (stage) => {
      const controller = new AbortController();
      const outcome = stage.call('rounds', { key: 'open', plan: [asking] }, { signal: controller.signal });
      while (textOf(await stage.call('tried', { key: 'open' })) === '0');
      controller.abort();
      return [await outcome, textOf(await stage.call('tried', { key: 'open' }))];
    },
    expected: [{ error: 'cancelled' }, '1'],
  },
  {
    title: 'the time that a person takes is not the time of the server',
    own: {
      client: {
        capabilities,
        handlers: {
          ...handlers,
          'elicitation/create': () => new Promise((resolve) => setTimeout(resolve, 1_600, answers.who)),
        },
      },
    },
    run: async (stage) =>
      brought(await stage.call('rounds', { key: 'slow', plan: [asking, asking], rest: 100 }, { timeoutMs: 3_000 })),
    expected: [{}, told, told],
  },
  {
    title: 'a resource may be asked about, too',
    own: answering,
    run: (stage) => stage.client().read('note:///asking'),
    expected: { ok: [{ uri: 'note:///asking', text: 'the note asking' }] },
  },
  {
    title: 'a list may not be asked about',
    own: { ...answering, server: { list: 'question' } },
    servers: byHand,
    run: (stage) => stage.client().listTools(),
    expected: bad,
  },
  question('a question about nothing', bad),
  question('a question that is a list', bad),
  question('a question without a method', bad),
  question('a question that nobody knows', { error: 'unsupported' }),
  question('a state that is no text', bad),
  question('a state that is too large', bad),
  {
    ...odd('a request of its own is not answered in the new era', ['wrong', 'a request of its own first'], undefined),
    run: async (stage) => [
      await stage.call('wrong', { kind: 'a request of its own first' }),
      await stage.call('replies'),
    ],
    transports: streaming,
    expected: [said('right'), said('0')],
  },
]);

/** A user who does not answer before the question is aborted. */
function untilAborted(_: JsonObject, signal: AbortSignal): Promise<object> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('never mind'))));
}

function twice(key: string): object[] {
  return [
    { ...asking, requestState: `first of ${key}` },
    { ...asking, requestState: `second of ${key}` },
  ];
}

function repeated(times: number): object[] {
  return Array.from({ length: times }, () => asking);
}

function round(title: string, plan: readonly object[], expected: readonly object[]): Behaviour {
  return {
    title,
    own: answering,
    run: async (stage: Stage) => {
      const text = textOf(await stage.call('rounds', { key: title, plan }));
      return text === undefined ? text : (JSON.parse(text) as JsonObject);
    },
    expected: { brought: expected, ids: expected.length },
  };
}

/** The input responses and state that came with each attempt. */
function brought(outcome: Outcome): unknown {
  const text = textOf(outcome);
  return text === undefined ? outcome : (JSON.parse(text) as JsonObject)['brought'];
}

function question(kind: Parameters<typeof odd>[1][1], expected: unknown): Behaviour {
  return {
    ...odd(`a question that is none ends its call at once: ${kind}`, ['wrong', kind], expected),
    own: answering,
  };
}
