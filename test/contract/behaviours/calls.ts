import type { JsonObject } from '../../../src/base/json.js';
import { type Behaviour, byHand, said, transports } from '../behaviour.js';
import { textOf } from '../clients/contract-client.js';
import type { Stage } from '../stage.js';

const MEGABYTE = 1_000_000;
const poison = JSON.parse('{"__proto__":{"polluted":1}}') as JsonObject;

/** Combinations in which an SDK server takes seconds for what the fixture shows as well. */
const slowly = [
  ['sdk', 'ws'],
  ['sdk', 'sdk'],
  ['old-sdk', 'sse'],
  ['old-sdk', 'ws'],
  ['old-sdk', 'sdk'],
] as const;

export const calls: readonly Behaviour[] = [
  call('a text comes back as it went', ['echo', { text: 'hello' }], said('hello')),
  call('an empty text comes back', ['echo', { text: '' }], said('')),
  call('a tool may give nothing', ['nothing', {}], { ok: { content: [] } }),
  call('a tool is called without arguments', ['mirror', {}], said('{}')),
  ...[
    'Grüße, 世界, שלום, 👩‍👩‍👧‍👦, e\u0301',
    'line\u2028paragraph\u2029next\u0085end',
    'a\nb\r\nc\td"e\\f/g\u0000h\u001bi\u007fj',
    '\ufeffwith a mark \ufffd \u{10ffff}',
    '\ud800 alone',
  ].map((text) => call(`any character comes back: ${JSON.stringify(text)}`, ['echo', { text }], said(text))),
  call('numbers are added', ['add', { a: 0.1, b: 0.2 }], said('0.30000000000000004')),
  ...[
    { numbers: [0, -1, 1.5, 1e308, 5e-324, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER] },
    { deep: { er: [[[{ a: null, b: true, c: false, '': '' }]]] } },
    { method: 'x', id: 7, result: {}, error: {}, jsonrpc: '2.0', params: { _meta: {} } },
    { constructor: { prototype: 1 }, toString: 2, hasOwnProperty: null },
  ].map((input) =>
    call(`arguments arrive as they are: ${JSON.stringify(input)}`, ['mirror', input], said(JSON.stringify(input))),
  ),
  {
    ...call('an argument may be called __proto__', ['mirror', poison], said(JSON.stringify(poison))),
    servers: byHand, // SDK servers drop this argument
  },
  call('an argument may be a megabyte', ['echo', { text: 'y'.repeat(MEGABYTE) }], said('y'.repeat(MEGABYTE))),
  size('a text of a megabyte arrives whole', MEGABYTE),
  { ...size('a text of 12 megabytes arrives whole', 12 * MEGABYTE), own: {}, eras: ['legacy'], except: slowly },
  {
    ...size('a text of 17 megabytes fails its call alone', 17 * MEGABYTE),
    own: {},
    eras: ['legacy'],
    except: slowly,
    expected: [{ error: 'too-large' }, said('still there')],
    // Messages are not copied in-process, so their size has no bound.
    expectedOn: { 'in-process': [17 * MEGABYTE, said('still there')] },
  },
  call('the error of a tool is an answer', ['fail', {}], {
    ok: { content: [{ type: 'text', text: 'the disk is full' }], isError: true },
  }),
  call(
    'the error of a server arrives with code, text and data',
    ['refuse', { code: -32050, message: 'no paper', data: { tray: 2 } }],
    {
      error: 'rpc',
      rpc: { code: -32050, message: 'no paper', data: { tray: 2 } },
    },
  ),
  call('an error may come without data', ['refuse', { code: 7, message: 'no ink' }], {
    error: 'rpc',
    rpc: { code: 7, message: 'no ink' },
  }),
  call('a tool that is not there is an error', ['nowhere', {}], {
    error: 'rpc',
    rpc: { code: -32602, message: 'Unknown tool: nowhere' },
  }),
  call('structured content arrives beside the text', ['square', { number: 7 }], {
    ok: { content: [{ type: 'text', text: '{"square":49}' }], structuredContent: { square: 49 } },
  }),
  {
    ...call('arguments that JSON cannot say are not sent', ['mirror', { big: 1n }], { error: 'usage' }),
    transports: transports.filter((transport) => transport !== 'in-process'),
  },
  call('ids are integers, which every server can hold', ['id', {}], said('integer')),
  {
    title: 'a method that the server does not have is an error',
    run: async (stage) => {
      const outcome = await stage.client().request('prompts/list', {});
      return 'rpc' in outcome ? outcome.rpc?.code : outcome;
    },
    expected: -32601,
  },
  // SDK servers take too long for so many calls.
  { ...crowd(1_000), servers: byHand, eras: ['legacy'] },
  crowd(100),
  {
    title: 'a slow call holds up no other',
    run: async (stage) => {
      const slow = stage.call('wait', { key: 'slow' });
      await stage.call('arrived', { key: 'slow' });
      const quick = await stage.call('echo', { text: 'quick' });
      await stage.call('release', { key: 'slow' });
      return [quick, await slow];
    },
    expected: [said('quick'), said('released slow')],
  },
];

function call(title: string, [name, input]: readonly [string, JsonObject], expected: unknown): Behaviour {
  return { title, run: (stage) => stage.call(name, input), expected };
}

/** This many concurrent calls, whose responses come in any order. */
function crowd(count: number): Behaviour {
  return {
    title: `${count} calls at a time never cross`,
    run: async (stage) => {
      const texts = Array.from({ length: count }, (_, index) => `call ${index}`);
      const outcomes = await Promise.all(texts.map((text) => stage.call('shuffle', { text })));
      return outcomes.filter((outcome, index) => textOf(outcome) !== texts[index]);
    },
    expected: [],
  };
}

/** Compares lengths, because the difference of two long texts is unreadable. */
function size(title: string, characters: number): Behaviour {
  return {
    title,
    run: async (stage: Stage) => {
      const outcome = await stage.call('big', { size: characters });
      return [textOf(outcome)?.length ?? outcome, await stage.call('echo', { text: 'still there' })];
    },
    expected: [characters, said('still there')],
  };
}
