import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainLineEnds } from './plain-ascii.js';
import { isPlainText } from './text-gate.js';

function check(bytes: Uint8Array): void {
  const text = Buffer.from(bytes).toString('latin1');
  expect([text, plainLineEnds(bytes)]).toEqual([text, isPlainText(text) ? text.split('\n').length - 1 : undefined]);
}

test('every byte, at every place of a word, is judged as its character is', () => {
  for (let byte = 0; byte < 256; byte++) {
    for (let place = 0; place < 9; place++) {
      for (const filler of [' ', '~', '\n', 'a']) {
        const bytes = Buffer.from(filler.repeat(9), 'latin1');
        bytes[place] = byte;
        check(bytes);
      }
    }
  }
});

test('any bytes, wherever they begin, are judged as their characters are', () => {
  const bytes = fc.uint8Array({ maxLength: 40 });
  const nearly = fc
    .array(fc.constantFrom(0x0a, 0x0b, 0x1f, 0x20, 0x41, 0x7e, 0x7f, 0x80, 0xff), { maxLength: 40 })
    .map((list) => Uint8Array.from(list));
  fc.assert(
    fc.property(fc.oneof(bytes, nearly), fc.nat(5), (list, skipped) =>
      check(list.subarray(Math.min(skipped, list.length))),
    ),
  );
});
