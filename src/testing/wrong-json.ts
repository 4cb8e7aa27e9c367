import { answers, ends, fails, FORGED, HONEST, TIMED_OUT } from './expectation.js';
import { answer } from './healthy.js';
import type { WrongAnswer } from './wrong-answer.js';

const DEEP = 100_000;
const NO_JSON = /JSON/u;
const TOO_DEEP = /deep|depth|nest|level/iu;

/** Answers that are no JSON, or JSON that few have met. */
export const wrongJson: readonly WrongAnswer[] = [
  {
    name: 'json-truncated',
    summary: 'cuts the answer inside an object',
    text: (id) => answer(id).slice(0, -20),
    call: fails(NO_JSON),
  },
  {
    name: 'json-truncated-early',
    summary: 'cuts the answer before its id',
    text: () => `{"result":{"content":[{"type":"text","text":"${FORGED}"`,
    call: fails(/JSON|within|timed? ?out/iu, 'by the deadline'),
    overHttp: fails(NO_JSON),
  },
  {
    name: 'json-deep-100k',
    summary: 'puts 100,000 nested arrays into structuredContent',
    text: (id) => withStructure(id, `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`),
    call: fails(TOO_DEEP),
  },
  {
    name: 'json-deep-objects',
    summary: 'puts 100,000 nested objects into structuredContent',
    text: (id) => withStructure(id, `${'{"a":'.repeat(DEEP)}0${'}'.repeat(DEEP)}`),
    call: fails(TOO_DEEP),
  },
  {
    name: 'json-deep-id-last',
    summary: 'nests 100,000 arrays before it tells whose answer it is',
    text: (id) => `{"result":${'['.repeat(DEEP)}${']'.repeat(DEEP)},"id":${JSON.stringify(id)},"jsonrpc":"2.0"}`,
    // Where the nesting stops a reader, the id has not come yet: only the channel may tell whose answer it was.
    call: fails(new RegExp(`${TOO_DEEP.source}|${TIMED_OUT.source}`, 'iu'), 'by the deadline'),
    overHttp: fails(TOO_DEEP),
  },
  {
    name: 'json-deep-500',
    summary: 'nests 500 arrays, which is odd but may be (legal)',
    text: (id) => withStructure(id, `${'['.repeat(500)}${']'.repeat(500)}`),
    call: answers(),
  },
  {
    name: 'json-proto',
    summary: 'names keys __proto__ and constructor.prototype everywhere',
    text: (id) =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"__proto__":{"polluted":1},"result":{"__proto__":{"polluted":1},"_meta":{"constructor":{"prototype":{"polluted":1}}},"content":[{"type":"text","text":"${HONEST}","__proto__":{"polluted":1}}],"structuredContent":{"__proto__":{"polluted":1}}}}`,
    call: answers(),
  },
  {
    name: 'json-batch',
    summary: 'answers inside a batch',
    text: (id) => `[${answer(id)}]`,
    call: ends(/batch|array|list/iu),
  },
  {
    name: 'json-batch-crowd',
    summary: 'hides the answer in a batch of 100,000 empty objects',
    text: (id) => `[${'{},'.repeat(100_000)}${answer(id)}]`,
    call: ends(/batch|array|list|within|timed? ?out/iu, 'by the deadline'),
    overHttp: ends(/batch|array|list|answer/iu, 'in time'),
    isLarge: true,
  },
  {
    name: 'json-nan',
    summary: 'writes NaN and Infinity, as Python does',
    text: (id) => withStructure(id, '{"share":NaN,"limit":-Infinity}'),
    call: fails(NO_JSON),
  },
  {
    name: 'json-raw-controls',
    summary: 'leaves control characters unescaped in a string',
    text: (id) => answer(id).replace(HONEST, `${HONEST}\u0001\t\u0008`),
    call: fails(NO_JSON),
  },
  {
    name: 'json-two-at-once',
    summary: 'writes two messages without anything between them',
    text: (id) => answer(id) + answer('another', FORGED),
    call: fails(NO_JSON),
  },
  {
    name: 'json-duplicate-result',
    summary: 'gives two results under one key',
    text: (id) =>
      answer(id).replace('"result":', `"result":{"content":[{"type":"text","text":"${HONEST} too"}]},"result":`),
    call: ends(/twice|duplicate|JSON/iu),
  },
  {
    name: 'json-duplicate-id',
    summary: 'gives two ids, a wrong one first',
    text: (id) => answer(id).replace('"id":', '"id":"another","id":'),
    call: ends(/twice|duplicate|JSON|within|timed? ?out/iu, 'by the deadline'),
    overHttp: ends(/twice|duplicate|JSON|answer/iu),
  },
  {
    name: 'json-huge-numbers',
    summary: 'writes 1e400, -0 and an integer of 5,000 digits (legal)',
    text: (id) => withStructure(id, `[1e400,-0,${'9'.repeat(5000)},0.${'1'.repeat(5000)}]`),
    call: answers(),
  },
  {
    name: 'json-lone-surrogates',
    summary: 'escapes halves of surrogate pairs',
    text: (id) => answer(id).replace(HONEST, `${HONEST}\\ud800 \\udc00\\ud83d`),
    call: answers(),
  },
  {
    name: 'json-escaped-keys',
    summary: 'writes its keys in escapes (legal)',
    text: (id) => answer(id).replace('"id"', '"\\u0069d"').replace('"result"', '"\\u0072esult"'),
    call: answers(),
  },
  {
    name: 'json-id-decoy',
    summary: 'mentions other ids before its own, in objects and in texts (legal)',
    text: (id) =>
      `{"result":{"id":1,"_meta":{"id":[2,{"id":3}]},"content":[{"type":"text","text":"${HONEST} \\",\\"id\\":4,\\"x\\":\\""}]},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`,
    call: answers(),
  },
  {
    name: 'json-whitespace',
    summary: 'puts a megabyte of blanks, tabs and carriage returns between its values (legal)',
    text: (id) => answer(id).replace('"result":', `"result":${' \t\r'.repeat(350_000)}`),
    call: answers('in time'),
    isLarge: true,
  },
  {
    name: 'json-line-separators',
    summary: 'has U+2028, U+2029 and U+0085 inside a text (legal)',
    text: (id) => answer(id, `${HONEST}\u2028a\u2029b\u0085c`),
    call: answers('at once', new RegExp(`^${HONEST}\u2028a\u2029b\u0085c$`, 'u')),
  },
  {
    name: 'json-invalid-utf8',
    summary: 'has the bytes FF FE C0 80 and half a character inside a text',
    text: (id) => splice(answer(id), HONEST, Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xe2, 0x82])),
    call: ends(/UTF-8|bytes|encod/iu),
  },
  {
    name: 'json-controls',
    summary: 'escapes NUL, BEL, ESC and C1 controls in a text',
    text: (id) => answer(id, `${HONEST}\u0000\u0007\u001b[31m\u009b31m\u0085`),
    call: answers(),
  },
  {
    name: 'json-many-keys',
    summary: 'sends an object of 150,000 keys (legal)',
    text: (id) => withStructure(id, `{${Array.from({ length: 150_000 }, (_, key) => `"k${key}":0`).join()}}`),
    call: answers('in time'),
    isLarge: true,
  },
  {
    name: 'json-many-values',
    summary: 'sends 1,500,000 numbers in 3 MB',
    text: (id) => withStructure(id, `[${'0,'.repeat(1_499_999)}0]`),
    call: fails(/values|nodes|large|many/iu, 'in time'),
    isLarge: true,
  },
];

/** An answer with this JSON in its structuredContent. */
function withStructure(id: unknown, json: string): string {
  return answer(id).replace(/\}\}$/u, () => `,"structuredContent":{"value":${json}}}}`);
}

/** Bytes behind a word of a text. */
function splice(text: string, word: string, bytes: Buffer): Buffer {
  const at = text.indexOf(word) + word.length;
  return Buffer.concat([Buffer.from(text.slice(0, at)), bytes, Buffer.from(text.slice(at))]);
}
