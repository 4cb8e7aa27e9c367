import { expect, test } from 'vitest';
import { hasManyMarks, MAY_BE_MARKS } from './hidden-characters.js';

test('the quick look at a text misses no mark and no joiner', () => {
  const missed: string[] = [];
  for (let code = 0; code <= 0x10_ff_ff; code++) {
    const letter = String.fromCodePoint(code);
    const isMeant = /^[\p{M}\u200c\u200d]$/u.test(letter);
    if (isMeant && !MAY_BE_MARKS.test(letter.repeat(8))) missed.push(code.toString(16));
  }
  expect(missed).toEqual([]);
});

test.each([
  'Привет, это текст. ',
  '这是一个普通的中文文本',
  'Ελληνικά γράμματα ',
  '한국어 문장입니다',
  'カタカナひらがな',
])('a text of letters alone is not scanned for marks: %s', (text) => {
  expect([MAY_BE_MARKS.test(text.repeat(9)), hasManyMarks(text.repeat(9))]).toEqual([false, false]);
});
