import { answers, ends, fails, FORGED, HONEST, TIMED_OUT } from '../expectation.js';
import { answer } from '../healthy.js';
import type { Mode } from '../mode.js';
import { wrong } from './wrong-answer.js';

const DEEP = 100_000;
const NO_JSON = /JSON/u;
const TOO_DEEP = /deep|depth|nest|level/iu;

/** Answers that are not JSON, and JSON that is legal but rare. */
export const wrongJson: readonly Mode[] = [
  wrong('json-truncated', 'cuts the answer inside an object', fails(NO_JSON), (id) => answer(id).slice(0, -20)),
  wrong(
    'json-truncated-early',
    'cuts the answer before its id',
    fails(/JSON|within|timed? ?out/iu, 'by the deadline'),
    () => `{"result":{"content":[{"type":"text","text":"${FORGED}"`,
    { overHttp: fails(NO_JSON) },
  ),
  wrong('json-deep-100k', 'puts 100,000 nested arrays into structuredContent', fails(TOO_DEEP), (id) =>
    withStructure(id, `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`),
  ),
  wrong('json-deep-objects', 'puts 100,000 nested objects into structuredContent', fails(TOO_DEEP), (id) =>
    withStructure(id, `${'{"a":'.repeat(DEEP)}0${'}'.repeat(DEEP)}`),
  ),
  // A parser stops at the nesting, before it has read the id: only over HTTP is the call of this answer known.
  wrong(
    'json-deep-id-last',
    'nests 100,000 arrays before it tells whose answer it is',
    fails(new RegExp(`${TOO_DEEP.source}|${TIMED_OUT.source}`, 'iu'), 'by the deadline'),
    (id) => `{"result":${'['.repeat(DEEP)}${']'.repeat(DEEP)},"id":${JSON.stringify(id)},"jsonrpc":"2.0"}`,
    { overHttp: fails(TOO_DEEP) },
  ),
  wrong('json-deep-500', 'nests 500 arrays, which is odd but may be (legal)', answers(), (id) =>
    withStructure(id, `${'['.repeat(500)}${']'.repeat(500)}`),
  ),
  wrong(
    'json-proto',
    'names keys __proto__ and constructor.prototype everywhere',
    answers(),
    (id) =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"__proto__":{"polluted":1},"result":{"__proto__":{"polluted":1},"_meta":{"constructor":{"prototype":{"polluted":1}}},"content":[{"type":"text","text":"${HONEST}","__proto__":{"polluted":1}}],"structuredContent":{"__proto__":{"polluted":1}}}}`,
  ),
  wrong('json-batch', 'answers inside a batch', ends(/batch|array|list/iu), (id) => `[${answer(id)}]`),
  wrong(
    'json-batch-crowd',
    'hides the answer in a batch of 100,000 empty objects',
    ends(/batch|array|list|within|timed? ?out/iu, 'by the deadline'),
    (id) => `[${'{},'.repeat(100_000)}${answer(id)}]`,
    { overHttp: ends(/batch|array|list|answer/iu, 'in time'), isLarge: true },
  ),
  wrong('json-nan', 'writes NaN and Infinity, as Python does', fails(NO_JSON), (id) =>
    withStructure(id, '{"share":NaN,"limit":-Infinity}'),
  ),
  wrong('json-raw-controls', 'leaves control characters unescaped in a string', fails(NO_JSON), (id) =>
    answer(id).replace(HONEST, `${HONEST}\u0001\t\u0008`),
  ),
  wrong(
    'json-two-at-once',
    'writes two messages without anything between them',
    fails(NO_JSON),
    (id) => answer(id) + answer('another', FORGED),
  ),
  wrong('json-duplicate-result', 'gives two results under one key', ends(/twice|duplicate|JSON/iu), (id) =>
    answer(id).replace('"result":', `"result":{"content":[{"type":"text","text":"${HONEST} too"}]},"result":`),
  ),
  wrong(
    'json-duplicate-id',
    'gives two ids, a wrong one first',
    ends(/twice|duplicate|JSON|within|timed? ?out/iu, 'by the deadline'),
    (id) => answer(id).replace('"id":', '"id":"another","id":'),
    { overHttp: ends(/twice|duplicate|JSON|answer/iu) },
  ),
  wrong('json-huge-numbers', 'writes 1e400, -0 and an integer of 5,000 digits (legal)', answers(), (id) =>
    withStructure(id, `[1e400,-0,${'9'.repeat(5000)},0.${'1'.repeat(5000)}]`),
  ),
  wrong('json-lone-surrogates', 'escapes halves of surrogate pairs', answers(), (id) =>
    answer(id).replace(HONEST, `${HONEST}\\ud800 \\udc00\\ud83d`),
  ),
  wrong('json-escaped-keys', 'writes its keys in escapes (legal)', answers(), (id) =>
    answer(id).replace('"id"', '"\\u0069d"').replace('"result"', '"\\u0072esult"'),
  ),
  wrong(
    'json-id-decoy',
    'mentions other ids before its own, in objects and in texts (legal)',
    answers(),
    (id) =>
      `{"result":{"id":1,"_meta":{"id":[2,{"id":3}]},"content":[{"type":"text","text":"${HONEST} \\",\\"id\\":4,\\"x\\":\\""}]},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`,
  ),
  wrong(
    'json-whitespace',
    'puts a megabyte of blanks, tabs and carriage returns between its values (legal)',
    answers('in time'),
    (id) => answer(id).replace('"result":', `"result":${' \t\r'.repeat(350_000)}`),
    { isLarge: true },
  ),
  wrong(
    'json-line-separators',
    'has U+2028, U+2029 and U+0085 inside a text (legal)',
    answers('at once', new RegExp(`^${HONEST}\u2028a\u2029b\u0085c$`, 'u')),
    (id) => answer(id, `${HONEST}\u2028a\u2029b\u0085c`),
  ),
  wrong(
    'json-invalid-utf8',
    'has the bytes FF FE C0 80 and half a character inside a text',
    ends(/UTF-8|bytes|encod/iu),
    (id) => splice(answer(id), HONEST, Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xe2, 0x82])),
  ),
  wrong('json-controls', 'escapes NUL, BEL, ESC and C1 controls in a text', answers(), (id) =>
    answer(id, `${HONEST}\u0000\u0007\u001b[31m\u009b31m\u0085`),
  ),
  wrong(
    'json-many-keys',
    'sends an object of 150,000 keys (legal)',
    answers('in time'),
    (id) => withStructure(id, `{${Array.from({ length: 150_000 }, (_, key) => `"k${key}":0`).join()}}`),
    { isLarge: true },
  ),
  wrong(
    'json-many-values',
    'sends 1,500,000 numbers in 3 MB',
    fails(/values|nodes|large|many/iu, 'in time'),
    (id) => withStructure(id, `[${'0,'.repeat(1_499_999)}0]`),
    { isLarge: true },
  ),
].flat();

/** A result with `json` in its structuredContent. */
function withStructure(id: unknown, json: string): string {
  return answer(id).replace(/\}\}$/u, () => `,"structuredContent":{"value":${json}}}}`);
}

/** Inserts `bytes` after `word`. */
function splice(text: string, word: string, bytes: Buffer): Buffer {
  const at = text.indexOf(word) + word.length;
  return Buffer.concat([Buffer.from(text.slice(0, at)), bytes, Buffer.from(text.slice(at))]);
}
