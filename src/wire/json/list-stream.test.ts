import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutOf } from '../../model/spilled.js';
import { JsonStream } from './json-stream.js';
import type { ListTreatment } from './json-treatment.js';

interface ListMessage {
  readonly result: { readonly list: unknown[] };
}

/** Parses the text as a message with a list, in chunks cut at these fractions of its length. */
function listed(text: string, { cuts = [], ...treatment }: ListTreatment & { cuts?: readonly number[] }): JsonStream {
  const bytes = Buffer.from(text);
  const stream = new JsonStream({
    route: (key) => (key === 'result' ? treatment : 'build'),
    openPart: () => expect.fail('nothing is spilled'),
  });
  let from = 0;
  for (const cut of [
    ...cuts.map((share) => Math.floor(share * bytes.length)).toSorted((a, b) => a - b),
    bytes.length,
  ]) {
    void stream.push(bytes.subarray(from, cut));
    from = cut;
  }
  stream.end();
  return stream;
}

/** All that can be told of a message that was read. */
function told({ fault, broken, value: read }: JsonStream): object {
  return { fault, broken, read: JSON.stringify(read), cut: cutOf((read as ListMessage).result.list) };
}

const pieces = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 });

describe('a list that is parsed in pieces', () => {
  test('is a beginning of what the server sent, and says so where it is not all; the rest of the message is whole', () => {
    const message = fc.record({
      jsonrpc: fc.constant('2.0'),
      result: fc.record({
        _meta: fc.record({ some: value }),
        list: fc.array(value, { maxLength: 20 }),
        nextCursor: fc.string(),
      }),
      id: fc.nat(),
    });
    fc.assert(
      fc.property(message, fc.integer({ min: 1, max: 12 }), pieces, (sent, items, cuts) => {
        const text = JSON.stringify(sent);
        const stream = listed(text, { items, cuts });
        expect(stream.broken).toBeUndefined();
        const expected = JSON.parse(text) as ListMessage;
        const { list } = (stream.value as ListMessage).result;
        expect(list).toHaveLength(Math.min(items, expected.result.list.length));
        expect(cutOf(list) === 'rest').toBe(list.length < expected.result.list.length);
        const whole = { ...expected, result: { ...expected.result, list: expected.result.list.slice(0, list.length) } };
        expect(JSON.stringify(stream.value)).toBe(JSON.stringify(whole));
      }),
      { numRuns: process.env['PLUGBOARD_FULL'] === undefined ? 1_000 : 50_000 },
    );
  });

  test('is cut at the same item in whatever chunks it comes', () => {
    const message = fc.record({
      result: fc.record({
        _meta: value,
        list: fc.array(value, { minLength: 5, maxLength: 30 }),
        other: fc.array(value, { maxLength: 8 }),
        _more: fc.dictionary(fc.string(), value),
      }),
      id: fc.nat(),
    });
    const bounds = { listBytes: fc.integer({ min: 1, max: 6_000 }), itemBytes: fc.integer({ min: 1, max: 600 }) };
    const treatment = fc.record({ items: fc.integer({ min: 1, max: 30 }), ...bounds });
    const spaces = fc.constantFrom('', ' ', '  ');
    fc.assert(
      fc.property(message, treatment, spaces, pieces, (sent, bound, space, cuts) => {
        const text = JSON.stringify(sent, null, space);
        const bytewise = Array.from({ length: text.length }, (_, at) => at / text.length);
        const whole = told(listed(text, bound));
        expect(told(listed(text, { ...bound, cuts }))).toEqual(whole);
        expect(told(listed(text, { ...bound, cuts: bytewise }))).toEqual(whole);
      }),
      { numRuns: process.env['PLUGBOARD_FULL'] === undefined ? 400 : 20_000 },
    );
  });

  test('stops where its items take too much memory, also in the middle of one', () => {
    const part = `{"name":"${'x'.repeat(50_000)}","rest":[${'{"a":1},'.repeat(1_000)}0]}`;
    const text = `{"id":7,"result":{"list":[${`${part},`.repeat(1_000)}${part}],"nextCursor":"more"}}`;
    const stream = listed(text, { items: 10_000, cuts: Array.from({ length: 99 }, (_, at) => at / 100) });
    const { list, nextCursor } = (stream.value as { result: { list: unknown[]; nextCursor: string } }).result;
    expect(list.length).toBeGreaterThan(100);
    expect(list.length).toBeLessThan(1_000);
    expect(cutOf(list)).toBe('rest');
    expect(list.every((one) => JSON.stringify(one) === part)).toBe(true);
    expect(nextCursor).toBe('more');
  });

  test.each([
    ['arrays', '[1],'.repeat(3_000_000)],
    ['objects', '{"a":{}},'.repeat(1_000_000)],
    ['one object', `{${Array.from({ length: 500_000 }, (_, at) => `"${at}":1`).join()}},`],
  ])('one item that is too large, of %s, is left out', (_, content) => {
    const stream = listed(`{"result":{"list":[1,{"a":[${content}1]},2]},"id":7}`, {
      items: 10,
      cuts: Array.from({ length: 99 }, (_one, at) => at / 100),
    });
    expect(stream.value).toEqual({ result: { list: [1, 2] }, id: 7 });
    expect(cutOf((stream.value as ListMessage).result.list)).toBe('items');
  });

  test('names of fields take memory as well, also where no field is ever whole in one chunk', () => {
    const fields = Array.from({ length: 400 }, (_, at) => `"${String(at).padEnd(60_000, 'k')}":1`).join();
    const cuts = Array.from({ length: 1_999 }, (_one, at) => at / 2_000);
    const stream = listed(`{"result":{"list":[1,{${fields}},2]},"id":7}`, { items: 10, cuts });
    expect(stream.value).toEqual({ result: { list: [1, 2] }, id: 7 });
  });

  test.each([
    [
      'many fields beside the list',
      `{"id":7,"result":{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":[${'[],'.repeat(20)}[]]`).join()}}}`,
      'large',
    ],
    [
      'an item nested deeper than a message may be',
      `{"id":7,"result":{"list":[${'['.repeat(600)}${']'.repeat(600)}]}}`,
      'depth',
    ],
  ])('%s: the message is given up', (_, text, fault) => {
    const cuts = Array.from({ length: 999 }, (_one, at) => at / 1_000);
    const stream = listed(text, { items: 10, cuts });
    expect(stream.fault).toBe(fault);
    expect(stream.outermost).toMatchObject({ id: 7 });
  });

  test.each(['{"id":7,"result":{"list":[1,2', '{"id":7,"result":{"list":[1,2,3]', '{"id":7,"result":{"list":[1}}}'])(
    '%s is no JSON',
    (text) => expect(listed(text, { items: 1 }).broken).toBeDefined(),
  );
});
