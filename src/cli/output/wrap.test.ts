import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { textWidth } from '../terminal/text/text-width.js';
import { wrapHint, wrapLine } from './wrap.js';

test('a sentence that is longer than the screen goes on below, between words', () => {
  expect(wrapLine('  db: node server.mjs - failed: there is no command "node"', 30, 4)).toEqual([
    '  db: node server.mjs -',
    '    failed: there is no',
    '    command "node"',
  ]);
});

test('a path that is longer than the screen is broken after a slash; an address is left whole for the terminal', () => {
  const path = '/home/ada/projects/a-long-name/of-a-folder/.mcp.json';
  expect(wrapLine(`warning in ${path}: twice`, 40, 2)).toEqual([
    'warning in',
    '  /home/ada/projects/a-long-name/',
    '  of-a-folder/.mcp.json: twice',
  ]);
  const url = `https://example.com/${'a/'.repeat(30)}`;
  expect(wrapLine(`see ${url} there`, 40, 2)).toEqual(['see', `  ${url}`, '  there']);
});

test('a word of other letters is broken: one with blanks that are no spaces could look like lines of ours', () => {
  const word = `${'x'.repeat(33)}error:\u00a0all\u00a0is\u00a0lost`;
  expect(wrapLine(`said ${word}`, 40, 4)).toEqual([
    'said',
    `    ${'x'.repeat(33)}err`,
    '    or:\u00a0all\u00a0is\u00a0lost',
  ]);
  const url = `https://example.com/${word}`;
  expect(wrapLine(`said ${url}`, 40, 4).every((row) => textWidth(row) <= 40)).toBe(true);
});

test('colours take no room', () => {
  const line = `  db: \u001B[31m✘ failed\u001B[39m: gone, and away`;
  expect(wrapLine(line, textWidth(line), 4)).toEqual([line]);
});

test('a word without an end, a narrow screen and an empty line stay as they are', () => {
  expect(wrapLine(`see ${'x'.repeat(60)} there`, 40, 4)).toEqual(['see', `    ${'x'.repeat(60)}`, '    there']);
  expect(wrapLine('  a line on a screen of no use', 12, 4)).toEqual(['  a line on a screen of no use']);
  expect(wrapLine('', 40, 4)).toEqual(['']);
});

test.each<[hint: string, rows: readonly string[]]>([
  ['Try again, or look at the log of it', ['  → Try again, or look at the log of', '    it']],
  ['plugboard doctor a-name-that-is-longer-than-a-row', ['  → plugboard doctor a-name-that-is-longer-than-a-row']],
  ['Make the folder: mkdir -p /a/b/c/d/e', ['  → Make the folder:', '    mkdir -p /a/b/c/d/e']],
  [
    `The server must log to stderr: stdout is for messages only. See its output: my-server 'a: b; c' --stdio --verbose`,
    [
      '  → The server must log to stderr:',
      '    stdout is for messages only. See',
      '    its output:',
      `    my-server 'a: b; c' --stdio --verbose`,
    ],
  ],
  [
    'See what the server waits for: sleep 600; or give it more time: "startTimeout": 120000 in its entry',
    [
      '  → See what the server waits for:',
      '    sleep 600; or give it more time:',
      '    "startTimeout": 120000 in its',
      '    entry',
    ],
  ],
  [
    'plugboard list shows the servers and what they wait for',
    ['  → plugboard list shows the servers', '    and what they wait for'],
  ],
])('a hint is broken between words, and no command in it is: %s', (hint, rows) => {
  expect(wrapHint(`  → ${hint}`, 36, 4)).toEqual(rows);
});

test('no word is lost, added or moved, whatever the screen', () => {
  const line = fc.array(fc.string({ minLength: 1, maxLength: 30 }), { minLength: 1 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(line, fc.integer({ min: 0, max: 120 }), (text, columns) => {
      expect(wrapLine(text, columns, 4).flatMap(wordsOf)).toEqual(wordsOf(text));
      expect(wrapHint(text, columns, 4).flatMap(wordsOf)).toEqual(wordsOf(text));
    }),
  );
});

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}
