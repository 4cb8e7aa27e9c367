// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
import { HEADER_MISMATCH } from '../../wire/rpc-codes.js';
import { isObject } from '../../base/json.js';
import {
  answers,
  called,
  type Connected,
  exactly,
  fails,
  HONEST,
  type ListOutcome,
  lists,
  listed,
  most,
  usualTools,
} from '../expectation.js';
import { STATELESS } from '../attacks/good.js';
import { failure, success, tool, healthyTools } from '../healthy.js';
import type { HttpHandlers, HttpTurn, IncomingRequest, Reply } from '../http/http-turn.js';
import { type HttpMode, type Mode, stdioMode } from '../mode.js';
import { modernResult, modernToolList } from './modern-healthy.js';
import { modernHttp } from './modern-mode.js';
import { decodeHeader } from './routing-check.js';

const MARK = 'x-mcp-header';
const [echo, , report] = healthyTools;

/** Invalid `x-mcp-header` marks: each costs the host that one tool, and no other. */
const badMarks: readonly object[] = [
  marked({ type: 'string', [MARK]: '' }),
  marked({ type: 'string', [MARK]: 42 }),
  marked({ type: 'string', [MARK]: 'Two Words' }),
  marked({ type: 'string', [MARK]: 'Evil\r\nX-Evil: yes' }),
  marked({ type: 'string', [MARK]: 'Grüße' }),
  marked({ type: 'number', [MARK]: 'Number' }),
  marked({ type: 'object', [MARK]: 'Object' }),
  marked({ type: ['string', 'null'], [MARK]: 'Either' }),
  marked({ type: 'array', items: { type: 'string', [MARK]: 'Item' } }),
  marked({ anyOf: [{ type: 'string', [MARK]: 'Branch' }] }),
  { type: 'object', $defs: { a: { type: 'string', [MARK]: 'Hidden' } }, properties: { a: { $ref: '#/$defs/a' } } },
  { type: 'object', [MARK]: 'All', properties: {} },
  {
    type: 'object',
    properties: { a: { type: 'string', [MARK]: 'Same' }, b: { type: 'string', [MARK]: 'SAME' } },
  },
];

/** Arguments that are hard to put into a header. */
const INPUT = {
  plain: 'plain',
  text: ' Grüße,\r\nX-Evil: yes \u0000',
  lookalike: '=?base64?eA==?=',
  empty: '',
  flag: false,
  count: -9_007_199_254_740_991,
  nested: { inner: 'tab\tinside' },
  absent: null,
};

const checked = tool('attack', {
  inputSchema: {
    type: 'object',
    properties: {
      plain: { type: 'string', [MARK]: 'Plain' },
      text: { type: 'string', [MARK]: 'Text' },
      lookalike: { type: 'string', [MARK]: 'Look-Alike' },
      empty: { type: 'string', [MARK]: 'Empty' },
      flag: { type: 'boolean', [MARK]: 'Flag' },
      count: { type: 'integer', [MARK]: 'Count' },
      nested: { type: 'object', properties: { inner: { type: 'string', [MARK]: 'Inner' } } },
      absent: { type: 'string', [MARK]: 'Absent' },
    },
  },
});

/** The headers, decoded, that a call with `INPUT` must have; undefined: absent. */
const WANTED: Readonly<Record<string, string | undefined>> = {
  plain: INPUT.plain,
  text: INPUT.text,
  'look-alike': INPUT.lookalike,
  empty: INPUT.empty,
  flag: 'false',
  count: '-9007199254740991',
  inner: INPUT.nested.inner,
  absent: undefined,
};

/** Tools whose arguments are also sent as headers. */
export const mirrored: readonly Mode[] = [
  ...badMarks.map((inputSchema, index) =>
    offers(
      `mark-bad-${index}`,
      `marks an argument as a header as it may not, way ${index}`,
      lists({ has: [...usualTools, 'good'], lacks: ['bad'] }),
      () => [tool('bad', { inputSchema }), tool('good')],
    ),
  ),
  stdioMode(
    'modern-mark-bad',
    'marks arguments as headers, wrongly, where there are no headers',
    listed(lists({ has: [...usualTools, 'bad-0'] })),
    {
      list: ({ id, say }) =>
        say(
          modernToolList(
            id,
            badMarks.map((inputSchema, index) => tool(`bad-${index}`, { inputSchema })),
          ),
        ),
    },
    { era: 'modern' },
  ),
  offers('mark-3000', 'marks 3,000 arguments of one tool', lists(), () => [tool('many', { inputSchema: marks(3000) })]),
  offers('mark-10000', 'marks 10,000 arguments of one tool', lists(), () => [
    tool('many', { inputSchema: marks(10_000) }),
  ]),
  offers('mark-5000-tools', 'marks an argument of each of 5,000 tools', lists({ most: 10_000 }), () =>
    Array.from({ length: 5000 }, (_, index) => tool(`t${index}`, { inputSchema: marks(3) })),
  ),
  offers('mark-deep', 'marks an argument 200 levels deep', lists(), () => [tool('deep', { inputSchema: nested(200) })]),
  modernHttp(
    'mark-values',
    'looks whether headers and body say the same (legal)',
    connected(called(answers())),
    {
      list: listChecked,
      attack({ id, params, incoming, json }) {
        const faults = [...headerFaults(incoming), ...bodyFaults(params['arguments'])];
        return json(modernResult(id, faults.length === 0 ? HONEST : faults.join('; ')));
      },
    },
    { input: INPUT },
  ),
  modernHttp(
    'mark-moved',
    'moves its marks once the tools are listed (legal)',
    connected(called(answers('in time'), { counts: [exactly('tools/list', 2), exactly('tools/call attack', 2)] })),
    moving,
    { input: INPUT },
  ),
  modernHttp(
    'mark-moving',
    'moves its marks whenever the tools are listed',
    connected(called(fails(/header/iu, 'in time'), { counts: [most('tools/list', 2), most('tools/call attack', 2)] })),
    { list: listChecked, attack: ({ id, reply }) => reply(mismatch(id)) },
    { input: INPUT },
  ),
];

function listChecked({ id, json }: HttpTurn): unknown {
  return json(success(id, { resultType: 'complete', tools: [echo, checked, report] }));
}

function moving(): HttpHandlers {
  let listings = 0;
  return {
    list({ id, json }) {
      const attack = listings++ === 0 ? tool('attack') : checked;
      return json(success(id, { resultType: 'complete', tools: [echo, attack, report] }));
    },
    attack: ({ id, incoming, json, reply }) =>
      headerFaults(incoming).length === 0 ? json(modernResult(id)) : reply(mismatch(id)),
  };
}

function mismatch(id: unknown): Reply {
  const body = failure(id, HEADER_MISMATCH, 'Header mismatch: Mcp-Param-Plain');
  return { status: 400, headers: { 'Content-Type': 'application/json' }, body };
}

function headerFaults({ headers }: IncomingRequest): string[] {
  const wrong = Object.entries(WANTED)
    .filter(([name, value]) => decodeHeader(headers[`mcp-param-${name}`]) !== value)
    .map(([name]) => `the header of ${name} is ${JSON.stringify(headers[`mcp-param-${name}`])}`);
  return headers['x-evil'] === undefined ? wrong : [...wrong, 'a header was injected'];
}

function bodyFaults(input: unknown): string[] {
  return isObject(input) && JSON.stringify(input) === JSON.stringify(INPUT) ? [] : ['the arguments were changed'];
}

function connected(expect: Connected): Connected {
  return { ...expect, counts: [...expect.counts, ...STATELESS, exactly('initialize', 0)] };
}

function offers(name: string, summary: string, list: ListOutcome, more: () => readonly object[]): HttpMode {
  return modernHttp(name, summary, connected(listed(list)), {
    list: ({ id, json }) => json(modernToolList(id, more())),
  });
}

function marked(property: object): object {
  return { type: 'object', properties: { a: property } };
}

function marks(count: number): object {
  const names = Array.from({ length: count }, (_, index) => `a${index}`);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string', [MARK]: name }])),
  };
}

function nested(levels: number): object {
  let schema: object = { type: 'string', [MARK]: 'Deep' };
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}
