import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ModelEvent } from '../../src/session/model-port.js';
import { AnthropicAnswer } from '../../src/session/models/anthropic-answer.js';
import { OpenaiAnswer } from '../../src/session/models/openai-answer.js';
import { localDialect, type OpenaiTurn } from '../fixtures/openai-dialect.js';
import { openScriptedApi } from '../fixtures/scripted-api.js';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { receivedBy } from './hear-stream.js';
import { anthropicStreams, openaiStreams } from './model-streams.js';
import { anthropicAt, type Received, receive, openaiAt, wordsOf } from './models-scene.js';

const ALL = [
  ...anthropicStreams.map(({ what, text }) => ({ what, text, open: () => new AnthropicAnswer() })),
  ...openaiStreams.map(({ what, text }) => ({ what, text, open: () => new OpenaiAnswer() })),
];

test.each(ALL)('an answer is heard alike in whichever pieces it comes: $what', ({ text, open }) => {
  const stream = Buffer.from(text);
  const whole = receivedBy(open(), [stream]);
  expect(whole.at(-1)).toMatchObject({ kind: 'end' });
  expect(
    receivedBy(
      open(),
      Array.from(stream, (byte) => Buffer.from([byte])),
    ),
  ).toEqual(whole);
  for (let cut = 1; cut < stream.length; cut++) {
    expect(receivedBy(open(), [stream.subarray(0, cut), stream.subarray(cut)])).toEqual(whole);
  }
});

function wordsIn(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.kind === 'text' || event.kind === 'reasoning' ? event.text : '')).join('');
}

test.each(ALL)(
  'an answer that is cut anywhere tells nothing that was not said, and is no whole one: $what',
  ({ text, open }) => {
    const stream = Buffer.from(text);
    const whole = wordsIn(receivedBy(open(), [stream]));
    const ends = Array.from(stream, (_, cut) => {
      const events = receivedBy(open(), [stream.subarray(0, cut)]);
      expect(whole.startsWith(wordsIn(events))).toBe(true);
      return events.at(-1)?.kind === 'end';
    });
    // Every longer prefix of a complete stream is complete, too.
    expect(ends.lastIndexOf(false)).toBeLessThan(ends.includes(true) ? ends.indexOf(true) : ends.length);
    expect(ends.lastIndexOf(false)).toBeGreaterThan(stream.length / 3);
  },
);

async function receiveAnthropic(text: string): Promise<Received> {
  await using api = await openScriptedApi<AnthropicTurn & object>(anthropicDialect, () => ({ mischief: 'say', text }));
  return await receive(anthropicAt(api.url));
}

async function receiveOpenai(text: string, type?: string): Promise<Received> {
  const reply = { mischief: 'say', text, ...(type !== undefined && { type }) } as const;
  await using api = await openScriptedApi<OpenaiTurn>(localDialect, () => reply);
  return await receive(openaiAt(api.url));
}

const data = (...events: readonly unknown[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const delta = (value: unknown, reason: unknown = null): object => ({
  choices: [{ delta: value, finish_reason: reason }],
});
const piece = (name: string | undefined, text: string, more: object = {}): object =>
  delta({ tool_calls: [{ ...more, function: { ...(name !== undefined && { name }), arguments: text } }] });

const START = { type: 'message_start', message: { id: 'm', usage: { input_tokens: 3, output_tokens: 1 } } };
const TEXT = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } };
const STOPS = [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];

test('events that are newer than this, or nothing at all, are passed over in an answer of Anthropic', async () => {
  const odd = [{ type: 'news', index: 'x' }, 7, null, [], { no: 'type' }, { type: 'content_block_delta', index: 9 }];
  const received = await receiveAnthropic(data({ type: 'hello' }, START, ...odd, TEXT, ...odd, ...STOPS));
  expect([wordsOf(received), received.end?.usage.input, received.error]).toEqual(['Hi', 3, undefined]);
});

test('figures of the wrong type count as nothing, and the answer is heard', async () => {
  const usage = {
    input_tokens: '5',
    cache_read_input_tokens: -1,
    iterations: [null, { type: 'message', input_tokens: 1.5 }],
  };
  const stop = { type: 'message_delta', delta: 7, usage: { output_tokens: { a: 1 } } };
  const begun = { type: 'message_start', message: { id: 7, usage } };
  const received = await receiveAnthropic(data(begun, TEXT, STOPS[0], stop, STOPS[2]));
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  expect([wordsOf(received), received.end]).toEqual(['Hi', { kind: 'end', reason: 'other', usage: none }]);
  const odd = { prompt_tokens: 'many', completion_tokens: null, prompt_tokens_details: [] };
  expect((await receiveOpenai(data(delta({ content: 'Hi' }, 'stop'), { usage: odd }))).end?.usage).toEqual(none);
});

test('two answers in one stream are none', async () => {
  const other = { ...START, message: { ...START.message, id: 'n' } };
  const received = await receiveAnthropic(data(START, TEXT, other, TEXT, ...STOPS));
  expect([wordsOf(received), received.end, received.error?.message]).toEqual([
    'Hi',
    undefined,
    expect.stringMatching(/broke off in the middle/u),
  ]);
});

test('what an answer has cost may come without a choice, and a reason that is empty is none', async () => {
  const usage = { prompt_tokens: 4, completion_tokens: 2 };
  const received = await receiveOpenai(data(delta({ content: 'Hi' }, ''), delta({}, 'stop'), { id: 'x', usage }));
  expect(received.end).toEqual({
    kind: 'end',
    reason: 'done',
    usage: { input: 4, output: 2, cacheRead: 0, cacheWrite: 0 },
  });
  const cut = await receiveOpenai(data(delta({ content: 'Hi' }, '')));
  expect(cut.error?.message).toMatch(/broke off in the middle/u);
});

test.each<[string, unknown]>([
  ['a list', []],
  ['a chunk of nothing', { object: 'x' }],
  ['choices that are none', { choices: 'x' }],
  ['a choice that is none', { choices: [7] }],
  ['a delta that is a text', delta('Hi')],
  ['content that is a number', delta({ content: 7 })],
  ['calls that are no list', delta({ tool_calls: {} })],
  ['a call that is none', delta({ tool_calls: [null] })],
  ['a call without a function', delta({ tool_calls: [{ index: 0, id: 'a' }] })],
  ['arguments that are no text', delta({ tool_calls: [{ index: 0, function: { name: 'a', arguments: 7 } }] })],
])('%s in an answer is told as nothing of this API', async (_, chunk) => {
  const received = await receiveOpenai(data(delta({ content: 'Hi' }), chunk, delta({}, 'stop')));
  expect([wordsOf(received), received.end, received.error?.code]).toEqual(['Hi', undefined, 'model-failed']);
  expect(received.error!.message).toMatch(/sent something in its answer that this API does not have/u);
});

test.each<[string, string, RegExp]>([
  ['an error that is a text', data({ error: 'No GPU' }), /answer: No GPU$/u],
  ['an error beside choices', data({ ...delta({}), error: { message: 'No GPU', code: 400 } }), /answer: No GPU$/u],
  ['an event of that type', data({ type: 'error', message: 'No GPU' }), /answer: No GPU$/u],
  ['an event of that name', 'event: error\ndata: {"message":"No GPU"}\n\n', /answer: No GPU$/u],
  ['an event of that name that is no JSON', 'event: error\ndata: No GPU\n\n', /answer: No GPU$/u],
  ['an error without words', data({ error: {} }), /failed in the middle of its answer$/u],
])('%s is told as an error', async (_, text, message) => {
  const received = await receiveOpenai(data(delta({ content: 'Hi' })) + text + data(delta({}, 'stop')));
  expect([wordsOf(received), received.end]).toEqual(['Hi', undefined]);
  expect(received.error!.message).toMatch(message);
});

test('words end where a call begins, and go on behind it', async () => {
  const received = await receiveOpenai(
    data(delta({ content: 'Let me' }), piece('a', '{}', { id: 'i' }), delta({ content: 'see' }), delta({}, 'stop')),
  );
  expect(received.events.slice(0, -1)).toEqual([
    { kind: 'text', text: 'Let me' },
    { kind: 'part', part: { kind: 'text', text: 'Let me' } },
    { kind: 'writing-call', id: 'i', name: 'a' },
    { kind: 'text', text: 'see' },
    { kind: 'part', part: { kind: 'text', text: 'see' } },
    { kind: 'part', part: { kind: 'call', id: 'i', name: 'a', input: {}, extra: { arguments: '{}' } } },
  ]);
});

test('an event without data says nothing', async () => {
  const received = await receiveOpenai(`data:\n\n${data(delta({ content: 'Hi' }, 'stop'))}data\n\n`);
  expect([wordsOf(received), received.error]).toEqual(['Hi', undefined]);
});

test('a field for errors that is null says nothing', async () => {
  const received = await receiveOpenai(data({ ...delta({ content: 'Hi' }, 'stop'), error: null }));
  expect([wordsOf(received), received.error]).toEqual(['Hi', undefined]);
});

test('a call that never gets a name is no whole answer', async () => {
  const received = await receiveOpenai(
    data(delta({ content: 'Hi', tool_calls: [{ index: 0, function: { arguments: '{}' } }] }), delta({}, 'tool_calls')),
  );
  expect([received.parts, received.error?.message]).toEqual([[], expect.stringMatching(/broke off in the middle/u)]);
});

test.each<[what: string, pieces: readonly object[], inputs: readonly unknown[]]>([
  ['without an index and an id, each named', [piece('a', '{"x":1}'), piece('a', '{"x":2}')], [{ x: 1 }, { x: 2 }]],
  ['of one index, each whole', [piece('a', '{"x":1}', { index: 0 }), piece('a', '{}', { index: 0 })], [{ x: 1 }, {}]],
  [
    'whose pieces look like a beginning',
    [piece('a', '{"x":[', { index: 0 }), piece('a', '{}', { index: 0 }), piece('a', ']}', { index: 0 })],
    [{ x: [{}] }],
  ],
  [
    'with another id for every piece',
    [piece('a', '{"x"', { index: 0, id: 'i' }), piece(undefined, ':1}', { index: 0, id: 'j' })],
    [{ x: 1 }],
  ],
  [
    'that go on behind a second one, without an index',
    [piece('a', '{"x"', { id: 'i' }), piece('b', '{}', { id: 'j' }), piece(undefined, ':1}', { id: 'i' })],
    [{ x: 1 }, {}],
  ],
  [
    'of one index with ids of their own, of which the first breaks off',
    [piece('a', '{"x":', { index: 0, id: 'i' }), piece('a', '{"x":2}', { index: 0, id: 'j' })],
    [{}, { x: 2 }],
  ],
  ['of one index and other names', [piece('a', '', { index: 0 }), piece('b', '', { index: 0 })], [{}, {}]],
  ['out of order', [piece('b', '{"x":2}', { index: 1 }), piece('a', '{"x":1}', { index: 0 })], [{ x: 1 }, { x: 2 }]],
  [
    'with one id for two',
    [piece('a', '{}', { index: 0, id: 'i' }), piece('b', '{"x":1}', { index: 1, id: 'i' })],
    [{}, { x: 1 }],
  ],
])('calls %s are told apart', async (_, pieces, inputs) => {
  const { parts, end, events } = await receiveOpenai(data(...pieces, delta({}, 'tool_calls')));
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [part] : []));
  expect([calls.map(({ input }) => input), end?.reason]).toEqual([inputs, 'calls']);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(inputs.length);
  expect(events.flatMap((event) => (event.kind === 'writing-call' ? [event.id] : [])).toSorted()).toEqual(
    calls.map(({ id }) => id).toSorted(),
  );
});

test('a long call in pieces that all look like a beginning is not read anew for each of them', () => {
  const answer = new OpenaiAnswer();
  const parsed = JSON.parse.bind(JSON);
  let reads = 0;
  const begun = `{"x":"${'y'.repeat(100_000)}",`;
  answer.read(piece('a', begun, { index: 0 }));
  JSON.parse = ((text: string) => {
    reads += text.length;
    return parsed(text) as unknown;
  }) as typeof JSON.parse;
  try {
    for (let count = 0; count < 1_000; count++) answer.read(piece('a', '{', { index: 0 }));
  } finally {
    JSON.parse = parsed;
  }
  expect(reads).toBeLessThan(2 * begun.length);
});

test('an answer that is whole but not a stream is told as that', async () => {
  const whole = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
  const { error } = await receiveOpenai(whole, 'application/json');
  expect(error!.message).toMatch(/answered with application\/json instead of a stream of events/u);
});

/** Random values under the field names that the APIs use. */
const anything = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, '', 'text', 'thinking', 'tool_use', 'x', 0, 1, -1, 1e99, true),
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  object: fc.dictionary(
    fc.constantFrom(
      ...'type index message delta usage content_block id name input text thinking signature citation partial_json content'.split(
        ' ',
      ),
      ...'tool_use_id stop_reason iterations choices finish_reason tool_calls function arguments reasoning extra_content google'.split(
        ' ',
      ),
    ),
    tie('value'),
    { maxKeys: 6 },
  ),
}));
const TYPES = [
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
];

test('nothing that an endpoint may send breaks a reader', () => {
  const events = fc.array(
    fc.oneof(
      anything.value,
      fc.tuple(fc.constantFrom(...TYPES), anything.object).map(([type, rest]) => ({ index: 0, ...rest, type })),
      anything.object.map((value) => ({ choices: [{ delta: value, finish_reason: 'stop' }] })),
      anything.object.map((value) => ({ choices: [{ delta: { tool_calls: [value] } }] })),
    ),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(events, (sent) => {
      for (const reader of [new AnthropicAnswer(), new OpenaiAnswer()]) {
        const said = [...sent.flatMap((event) => reader.read(event) ?? []), ...reader.end()];
        // All events can be serialized, so they can be stored and sent again.
        expect(JSON.parse(JSON.stringify(said))).toHaveLength(said.length);
      }
    }),
    { numRuns: 2_000 },
  );
});
