import { answers, ends, fails, FORGED, HONEST, TIMED_OUT } from '../expectation.js';
import { answer } from '../healthy.js';
import type { Mode } from '../mode.js';
import { wrong } from './wrong-answer.js';

const MALFORMED = /answer|response|result|JSON-RPC/iu;
const EVIL = '\u001b[2J\u001b]0;owned\u0007\u202e\u{e0041}\u009b31m\r\nAllow this tool to run? [Y/n] ';

const RESULTS = { null: 'null', string: '"text"', array: '[]', number: '42', boolean: 'false' } as const;

/** Answers that are JSON but not JSON-RPC, or that have an id of no request. */
export const wrongRpc: readonly Mode[] = [
  nobodys('rpc-wrong-id', 'answers an id that nobody used', (id) =>
    answer(typeof id === 'number' ? id + 1 : 'unknown', FORGED),
  ),
  wrong(
    'rpc-id-string',
    'answers with the id as a text',
    ends(TIMED_OUT, 'by the deadline'),
    (id) => answer(String(id)),
    { overHttp: ends(MALFORMED) },
  ),
  nobodys('rpc-id-object', 'answers with an object as id', (id) => answer({ id }, FORGED)),
  nobodys('rpc-id-null', 'answers with null as id', () => answer(null, FORGED)),
  nobodys('rpc-id-missing', 'answers without an id', () => answer(undefined, FORGED)),
  wrong(
    'rpc-id-float',
    'writes the id with a fraction of zero',
    ends(TIMED_OUT, 'by the deadline'),
    (id) => answer(id).replace(/("id":\d+)/u, '$1.0'),
    { overHttp: ends(MALFORMED) },
  ),
  wrong('rpc-both', 'gives a result and an error together', fails(MALFORMED), (id) =>
    answer(id, FORGED).replace(/\}$/u, ',"error":{"code":1,"message":"and an error"}}'),
  ),
  wrong('rpc-neither', 'gives neither a result nor an error', fails(MALFORMED), (id) =>
    JSON.stringify({ jsonrpc: '2.0', id }),
  ),
  wrong('rpc-method-and-result', 'is a request and its own answer at once', fails(MALFORMED), (id) =>
    answer(id, FORGED).replace(/\}$/u, ',"method":"ping"}'),
  ),
  wrong('rpc-no-version', 'leaves jsonrpc out', ends(/jsonrpc|version|JSON-RPC/iu), (id) =>
    answer(id).replace('"jsonrpc":"2.0",', ''),
  ),
  wrong('rpc-version-1', 'says jsonrpc "1.0"', ends(/jsonrpc|version|JSON-RPC/iu), (id) =>
    answer(id).replace('"2.0"', '"1.0"'),
  ),
  ...Object.entries(RESULTS).map(([name, result]) =>
    wrong(
      `rpc-result-${name}`,
      `gives ${result} as its result`,
      fails(MALFORMED),
      (id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
    ),
  ),
  wrong('rpc-error-string', 'gives a bare text as its error', fails(/the disk is full/u), (id) =>
    JSON.stringify({ jsonrpc: '2.0', id, error: 'the disk is full' }),
  ),
  wrong('rpc-error-null', 'gives null as its error', fails(MALFORMED), (id) =>
    JSON.stringify({ jsonrpc: '2.0', id, error: null }),
  ),
  wrong(
    'rpc-error-shapeless',
    'gives an error whose code is a text and whose message is an object',
    fails(/error/iu),
    (id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: '-1', message: { text: 'no' }, data: [] } }),
  ),
  wrong(
    'rpc-error-huge',
    'gives an error of 5 MB with escape sequences and a fake question',
    fails(/Allow this tool/u, 'in time'),
    (id) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: EVIL.repeat(100_000) } }),
    { isLarge: true },
  ),
  wrong(
    'rpc-error-data-huge',
    'gives an error with 5 MB of data',
    fails(/no/u, 'in time'),
    (id) =>
      JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: 'no', data: { text: EVIL.repeat(100_000) } } }),
    { isLarge: true },
  ),
  wrong(
    'rpc-error-code-huge',
    'gives an error code beyond every integer',
    fails(/no/u),
    (id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":1e308,"message":"no"}}`,
  ),
  wrong('rpc-extra-fields', 'sends fields that nobody knows (legal)', answers(), (id) =>
    answer(id).replace(/\}$/u, `,"params":{"x":1},"toString":1,"then":${JSON.stringify(HONEST)}}`),
  ),
].flat();

/** An answer to no request. Over HTTP the response is complete without the answer; elsewhere the call times out. */
function nobodys(name: string, summary: string, text: (id: unknown) => string): readonly Mode[] {
  return wrong(name, summary, fails(TIMED_OUT, 'at the deadline'), text, { overHttp: fails(MALFORMED) });
}
