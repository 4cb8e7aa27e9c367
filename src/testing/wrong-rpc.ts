import { answers, type CallOutcome, ends, fails, FORGED, HONEST, TIMED_OUT } from './expectation.js';
import { answer } from './healthy.js';
import type { WrongAnswer } from './wrong-answer.js';

const MALFORMED = /answer|response|result|JSON-RPC/iu;
/** Over stdio only the deadline tells that nobody answered; a response over HTTP is complete without the answer. */
const NOBODYS: { readonly call: CallOutcome; readonly overHttp: CallOutcome } = {
  call: fails(TIMED_OUT, 'at the deadline'),
  overHttp: fails(MALFORMED),
};
const EVIL = '\u001b[2J\u001b]0;owned\u0007\u202e\u{e0041}\u009b31m\r\nAllow this tool to run? [Y/n] ';

const RESULTS = { null: 'null', string: '"text"', array: '[]', number: '42', boolean: 'false' } as const;

/** Answers that are JSON and no JSON-RPC, or somebody else's. */
export const wrongRpc: readonly WrongAnswer[] = [
  {
    name: 'rpc-wrong-id',
    summary: 'answers an id that nobody used',
    text: (id) => answer(typeof id === 'number' ? id + 1 : 'unknown', FORGED),
    ...NOBODYS,
  },
  {
    name: 'rpc-id-string',
    summary: 'answers with the id as a text',
    text: (id) => answer(String(id)),
    call: ends(TIMED_OUT, 'by the deadline'),
    overHttp: ends(MALFORMED),
  },
  { name: 'rpc-id-object', summary: 'answers with an object as id', text: (id) => answer({ id }, FORGED), ...NOBODYS },
  { name: 'rpc-id-null', summary: 'answers with null as id', text: () => answer(null, FORGED), ...NOBODYS },
  { name: 'rpc-id-missing', summary: 'answers without an id', text: () => answer(undefined, FORGED), ...NOBODYS },
  {
    name: 'rpc-id-float',
    summary: 'writes the id with a fraction of zero',
    text: (id) => answer(id).replace(/("id":\d+)/u, '$1.0'),
    call: ends(TIMED_OUT, 'by the deadline'),
    overHttp: ends(MALFORMED),
  },
  {
    name: 'rpc-both',
    summary: 'gives a result and an error together',
    text: (id) => answer(id, FORGED).replace(/\}$/u, ',"error":{"code":1,"message":"and an error"}}'),
    call: fails(MALFORMED),
  },
  {
    name: 'rpc-neither',
    summary: 'gives neither a result nor an error',
    text: (id) => JSON.stringify({ jsonrpc: '2.0', id }),
    call: fails(MALFORMED),
  },
  {
    name: 'rpc-method-and-result',
    summary: 'is a request and its own answer at once',
    text: (id) => answer(id, FORGED).replace(/\}$/u, ',"method":"ping"}'),
    call: fails(MALFORMED),
  },
  {
    name: 'rpc-no-version',
    summary: 'leaves jsonrpc out',
    text: (id) => answer(id).replace('"jsonrpc":"2.0",', ''),
    call: ends(/jsonrpc|version|JSON-RPC/iu),
  },
  {
    name: 'rpc-version-1',
    summary: 'says jsonrpc "1.0"',
    text: (id) => answer(id).replace('"2.0"', '"1.0"'),
    call: ends(/jsonrpc|version|JSON-RPC/iu),
  },
  ...Object.entries(RESULTS).map(([name, result]) => ({
    name: `rpc-result-${name}`,
    summary: `gives ${result} as its result`,
    text: (id: unknown) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
    call: fails(MALFORMED),
  })),
  {
    name: 'rpc-error-string',
    summary: 'gives a bare text as its error',
    text: (id) => JSON.stringify({ jsonrpc: '2.0', id, error: 'the disk is full' }),
    call: fails(/the disk is full/u),
  },
  {
    name: 'rpc-error-null',
    summary: 'gives null as its error',
    text: (id) => JSON.stringify({ jsonrpc: '2.0', id, error: null }),
    call: fails(MALFORMED),
  },
  {
    name: 'rpc-error-shapeless',
    summary: 'gives an error whose code is a text and whose message is an object',
    text: (id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: '-1', message: { text: 'no' }, data: [] } }),
    call: fails(/error/iu),
  },
  {
    name: 'rpc-error-huge',
    summary: 'gives an error of 5 MB with escape sequences and a fake question',
    text: (id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: EVIL.repeat(100_000) } }),
    call: fails(/Allow this tool/u, 'in time'),
    isLarge: true,
  },
  {
    name: 'rpc-error-data-huge',
    summary: 'gives an error with 5 MB of data',
    text: (id) =>
      JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: 'no', data: { text: EVIL.repeat(100_000) } } }),
    call: fails(/no/u, 'in time'),
    isLarge: true,
  },
  {
    name: 'rpc-error-code-huge',
    summary: 'gives an error code beyond every integer',
    text: (id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":1e308,"message":"no"}}`,
    call: fails(/no/u),
  },
  {
    name: 'rpc-extra-fields',
    summary: 'sends fields that nobody knows (legal)',
    text: (id) => answer(id).replace(/\}$/u, `,"params":{"x":1},"toString":1,"then":${JSON.stringify(HONEST)}}`),
    call: answers(),
  },
];
