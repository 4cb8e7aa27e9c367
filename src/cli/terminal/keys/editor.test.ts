import { expect, test } from 'vitest';
import { edit, type Editor, newEditor, rewrite } from './editor.js';
import { KeyDecoder } from './keys.js';

/** The text after these keys; `|` is the cursor. */
function typed(sent: string, start: Editor = newEditor()): string {
  let editor = start;
  const decoder = new KeyDecoder((key) => void (editor = edit(editor, key) ?? editor));
  for (const byte of Buffer.from(sent)) decoder.push(Uint8Array.of(byte));
  decoder.settle();
  return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`;
}

const E = '\u001B';
const LEFT = `${E}[D`;
const ctrl = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) & 0x1f);

test('letters go in where the cursor is, and out of there', () => {
  expect(typed('hllo')).toBe('hllo|');
  expect(typed(`hllo${LEFT.repeat(3)}e`)).toBe('he|llo');
  expect(typed(`hello${ctrl('A')}x${E}[3~`)).toBe('x|ello');
  expect(typed(`hello${LEFT}\u007F`)).toBe('hel|o');
  expect(typed(`hello${ctrl('A')}\u007F${LEFT}`)).toBe('|hello');
  expect(typed(`a${ctrl('J')}b${E}\rc${LEFT}${ctrl('A')}`)).toBe('a\nb\n|c');
});

test('what looks like one letter is one', () => {
  const family = '👨‍👩‍👧';
  expect(typed(`a${family}b${LEFT.repeat(2)}`)).toBe(`a|${family}b`);
  expect(typed(`a${family}b${LEFT}\u007F`)).toBe('a|b');
  expect(typed(`e\u0301${LEFT}`)).toBe('|e\u0301');
  expect(typed(`e\u0301x${LEFT.repeat(2)}${E}[C`)).toBe('e\u0301|x');
  expect(typed('🇩🇪🇫🇷\u007F')).toBe('🇩🇪|');
  expect(typed(`日本${LEFT}\u007F`)).toBe('|本');
});

test('words are gone over and taken out as in a shell', () => {
  expect(typed(`one two-three${E}b${E}b`)).toBe('one |two-three');
  expect(typed(`one two${ctrl('A')}${E}f`)).toBe('one| two');
  expect(typed(`one two-three${ctrl('W')}`)).toBe('one |');
  expect(typed(`one two-three${E}\u007F`)).toBe('one two-|');
  expect(typed(`one two${ctrl('A')}${E}d${E}d`)).toBe('|');
  expect(typed(`one two${E}[1;5D${E}[1;5D`)).toBe('|one two');
});

test('what was taken out in one go comes back in one', () => {
  expect(typed(`one two three${ctrl('W').repeat(2)}${ctrl('Y')}`)).toBe('one two three|');
  expect(typed(`one two${ctrl('A')}${E}d${E}d${ctrl('Y')}${ctrl('Y')}`)).toBe('one twoone two|');
  expect(typed(`one\n${ctrl('U')}x${ctrl('Y')}`)).toBe('onex\n|');
  expect(typed(`one\ntwo${ctrl('U')}${ctrl('K')}`)).toBe('one\n|');
  expect(typed(`ab${LEFT}${ctrl('K')}${ctrl('A')}${ctrl('Y')}`)).toBe('b|a');
});

test('undo takes back a word at a time, and what was taken out', () => {
  expect(typed(`one two${ctrl('_')}`)).toBe('one|');
  expect(typed(`one${ctrl('U')}${ctrl('_')}`)).toBe('one|');
  expect(typed(`one${ctrl('_').repeat(3)}`)).toBe('|');
});

test('a text has an end, and so has what is remembered of it', () => {
  const huge = 'x'.repeat(999_999);
  let editor = newEditor(huge);
  editor = edit(editor, { name: 'paste', text: 'abc', ctrl: false, meta: false, shift: false })!;
  expect(editor.text.length).toBe(1_000_000);
  for (let count = 0; count < 50; count++) editor = rewrite(editor, `${count}${huge}`);
  expect(editor.past.length).toBeLessThan(5);
});
