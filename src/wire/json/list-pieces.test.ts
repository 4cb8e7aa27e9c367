import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { measure } from './json-bounds.js';
import { listPieces } from './list-pieces.js';

/** A message with these items, and where it is cut: before each of the items with these indexes. */
function cutMessage(
  items: readonly string[],
  before: readonly number[],
  around = ['{"result":{"a":[],"list":[', ']},"id":1}'],
) {
  let text = around[0]!;
  const cuts: number[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0) {
      if (before.includes(index)) cuts.push(text.length);
      text += ',';
    }
    text += item;
  }
  return { text: text + around[1]!, cuts, end: text.length };
}

function parsed({ text, cuts, end }: ReturnType<typeof cutMessage>): unknown {
  const pieces = listPieces(text, { cuts, end });
  for (let next = pieces.next(); ; next = pieces.next()) if (next.done === true) return next.value;
}

const places = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
const jsonItems = fc.array(fc.json({ stringUnit: 'binary' }), { minLength: 10, maxLength: 20 });

test('a message that is cut between the items of its list means what JSON.parse says it means', () => {
  fc.assert(
    fc.property(jsonItems, places, (items, before) => {
      const message = cutMessage(items, before);
      expect(JSON.stringify(parsed(message))).toBe(JSON.stringify(JSON.parse(message.text)));
    }),
  );
});

test('it is refused where JSON.parse refuses it, and is never taken for something else', () => {
  const odd = fc.constantFrom('', ' ', '1,', ',1', '[1', '2]', '{"a":1', '"a":1}', '"', '"]', '"[', '1]},{"b":[2');
  const items = fc.array(fc.oneof(fc.json(), odd), { minLength: 10, maxLength: 20 });
  fc.assert(
    fc.property(items, places, (texts, before) => {
      const message = cutMessage(texts, before);
      let expected: string | undefined;
      try {
        expected = JSON.stringify(JSON.parse(message.text));
      } catch {
        expected = undefined;
      }
      let received: string | undefined;
      try {
        received = JSON.stringify(parsed(message));
      } catch {
        received = undefined;
      }
      // What is cut inside of a value is left to the other reader, even when the whole is JSON.
      expect([undefined, expected]).toContain(received);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  [['{"params":{"list":[', ']},"result":{"other":[1]}}']],
  [['{"result":{"list":[', '],"list":[7]}}']],
  [['{"result":[[', ']]}']],
  [['[[[', ']]]']],
])('a list in %j is left to the other reader', (around) => {
  expect(parsed(cutMessage(['1', '2', '3'], [1, 2], around))).toBeUndefined();
});

test('a long list is cut between its items, whatever their texts contain', () => {
  const names = [
    'plain',
    '],[',
    '"},{"',
    '\\',
    '\\"',
    'é\u2028',
    '{'.repeat(70),
    `${'x'.repeat(70)}\\${'y'.repeat(200)}"`,
  ];
  const list = Array.from({ length: 20_000 }, (_, at) => ({
    name: names[at % names.length],
    a: [[], {}, [1, { b: at }]],
  }));
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { _meta: { list: [1, 2] }, list, nextCursor: 'x' } });
  const { list: cut } = measure(text);
  expect(cut!.cuts.length).toBeGreaterThan(5);
  expect(JSON.stringify(parsed({ text, cuts: [...cut!.cuts], end: cut!.end }))).toBe(text);
});

test.each([
  ['one item of which is large', [...Array.from({ length: 30_000 }, () => ({ a: 1 })), 'x'.repeat(300_000)]],
  ['that is short', Array.from({ length: 100 }, () => ({ a: 1 }))],
])('a list %s is not cut', (_, list) => {
  expect(measure(JSON.stringify({ result: { list } })).list).toBeUndefined();
});
