import { stripVTControlCharacters } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../../test/any-character.js';
import { linkTo } from '../../output/terminal-link.js';
import { type Style, styleFor } from '../../output/style.js';
import { MarkdownStream } from './markdown.js';
import { textWidth } from '../text/text-width.js';

const output = { isTerminal: true, columns: 80, write: () => {} };
const colours = styleFor(output, { env: {}, noColor: false });
const plain = styleFor(output, { env: {}, noColor: true });

function render(text: string, columns = 60, style = plain): string[] {
  const stream = new MarkdownStream({ columns: () => columns, style });
  return [...stream.push(text), ...stream.end()];
}

test('a paragraph is set anew for the screen, and hard breaks stay', () => {
  expect(render('The quick brown\nfox jumps over\nthe lazy dog.\n\nA break  \nhere\\\nand there.', 30)).toEqual([
    'The quick brown fox jumps over',
    'the lazy dog.',
    '',
    'A break',
    'here',
    'and there.',
  ]);
});

test('lists keep their order and depth, and go on under their own words', () => {
  expect(
    render(
      [
        'Steps:',
        '1. Open the door of the house and look',
        '   for the cat',
        '1. Then',
        '   - the garden',
        '     * [x] roses',
        '     * [ ] weeds',
        '',
        '   More of it.',
        '3) other',
        '',
        '- ',
        '-   wide',
        '',
        'In 1984',
        '2. was not a list',
      ].join('\n'),
      32,
    ),
  ).toEqual([
    'Steps:',
    '1. Open the door of the house',
    '   and look for the cat',
    '2. Then',
    '   ◦ the garden',
    '     ▪ [x] roses',
    '     ▪ [ ] weeds',
    '',
    '   More of it.',
    '3) other',
    '',
    '•',
    '• wide',
    '',
    'In 1984 2. was not a list',
  ]);
});

test('quotes, headings and rules show what they are, without colours too', () => {
  const text = '# One\ntext\n## Two ##\n> said\n> > deeper\n> - item\n\n***\nUnder\n===\n####### seven\n#no heading';
  expect(render(text, 20)).toEqual([
    '# One',
    'text',
    '',
    '## Two',
    '│ said',
    '│ │ deeper',
    '│ • item',
    '',
    '─'.repeat(20),
    '',
    '# Under',
    '####### seven #no',
    'heading',
  ]);
  expect(render('# One *it*\n## Two', 20, colours)).toEqual([
    '\u001B[1m\u001B[4mOne \u001B[24m\u001B[22m\u001B[1m\u001B[4m\u001B[3mit\u001B[23m\u001B[24m\u001B[22m',
    '',
    '\u001B[1mTwo\u001B[22m',
  ]);
});

test('code stays as it is, however long, also where the fence is never closed', () => {
  const long = `const x = "${'long '.repeat(30)}";`;
  expect(render(`\`\`\`ts\n${long}\n\tif (a) {\n\n\n  **b**\n\`\`\`\n`, 40)).toEqual([
    '```ts',
    long,
    '\tif (a) {',
    '',
    '',
    '  **b**',
    '```',
  ]);
  expect(render('- a\n  ~~~\n  x\n    y\n  ```\n  ~~~\nback')).toEqual([
    '• a',
    '  ~~~',
    '  x',
    '    y',
    '  ```',
    '  ~~~',
    'back',
  ]);
  expect(render('text\n\n    code *a*\n\n\n      deeper\ntext')).toEqual([
    'text',
    '',
    '    code *a*',
    '',
    '',
    '      deeper',
    'text',
  ]);
  expect(render('```\nnever closed')).toEqual(['```', 'never closed']);
  expect(render('> ```\n> quoted\nafter')).toEqual(['│ ```', '│ quoted', 'after']);
});

test.each([
  ['**bold** _it_ `co**de` ~~no~~', '[b]bold[/] [i]it[/i] [c]co**de[/c] ~~[d]no~~[/]'],
  ['***both*** and **a *b* c**', '[b][i]both[/i][/] and [b]a [/][b][i]b[/i][/][b] c[/]'],
  ['snake_case_name 2 * 3 * 4 *', 'snake_case_name 2 * 3 * 4 *'],
  ['`` a ` b `` and ` alone', '[c]a ` b[/c] and ` alone'],
  ['[the *docs*](https://e.com/a_(b)) end', '[u]the [/u][u][i]docs[/i][/u] [d](https://e.com/a_(b))[/] end'],
  ['[https://e.com](https://e.com)', '[u]https://e.com[/u]'],
  ['![a cat](cat.png "Tom") <https://e.com/_x_>', '[u]image: a cat[/u] [d](cat.png)[/] https://e.com/_x_'],
  ['see https://e.com/a_b_c, **https://e.com/d**.', 'see https://e.com/a_b_c, [b]https://e.com/d[/].'],
  ['[ ] [x] [a][b] [c] ](', '[ ] [x] [a][b] [c] ]('],
  ['\\*not\\* &lt;b&gt; &amp; &#27; \\n', '*not* <b> & &#27; \\n'],
  ['one<br>two<br/>three <b>', 'one\ntwo\nthree <b>'],
  ['**“重点”**です', '[b]“重点”[/]です'],
  ['**never closed', '**never closed'],
])('%s', (text, expected) => {
  const signs: Readonly<Record<string, string>> = {
    1: 'b',
    2: 'd',
    3: 'i',
    4: 'u',
    36: 'c',
    22: '/',
    23: '/i',
    24: '/u',
    39: '/c',
  };
  const rows = render(text, 80, colours).join('\n');
  expect(rows.replaceAll(/\p{Cc}\[(\d+)m/gu, (_, code: string) => `[${signs[code]}]`)).toBe(expected);
});

test('without colours the signs that carry a meaning stay', () => {
  const text = '**bold** _it_ `code` ~~no~~ ***x*** [docs](https://e.com)';
  expect(render(text)).toEqual(['**bold** _it_ `code` ~~no~~ ***x*** docs (https://e.com)']);
});

test('an address can be clicked where the terminal can do that, and is never broken in two', () => {
  const io = { env: { TERM_PROGRAM: 'WezTerm' }, stderr: output };
  const stream = new MarkdownStream({ columns: () => 30, style: plain, link: (url) => linkTo(url, io) });
  const url = 'https://example.com/a/path/that/is/longer';
  const linked = `\u001B]8;;${url}\u0007${url}\u001B]8;;\u0007`;
  expect(stream.push(`See [it](${url}) and [x](javascript:alert(1)) or [y](file:///etc).\n\n`)).toEqual([
    'See it',
    `(${linked})`,
    'and x (javascript:alert(1)) or',
    'y (file:///etc).',
  ]);
});

const TABLE = '| Name | Size |\n|---|--:|\n| a `x` | 1 |\n| bb \\| c | 1000 | more |\nend';

test('a table is aligned, and a list of names and values where there is no room for it', () => {
  expect(render(TABLE)).toEqual([
    'Name   │        Size',
    '───────┼────────────',
    'a `x`  │           1',
    'bb | c │ 1000 | more',
    'end',
  ]);
  const wide = `Name | Text\n--- | ---\none | ${'some words '.repeat(6)}\n`;
  expect(render(wide, 40)).toEqual([
    'Name │ Text',
    `─────┼─${'─'.repeat(33)}`,
    'one  │ some words some words some words',
    '     │ some words some words some words',
  ]);
  expect(render(wide, 16)).toEqual([
    'Name: one',
    'Text: some words',
    '  some words',
    '  some words',
    '  some words',
    '  some words',
    '  some words',
  ]);
  const many = `Name | ${'Text'.repeat(9)}\n--- | ---\n${'one | two\n'.repeat(400)}`;
  expect(render(many, 60)).toHaveLength(402);
  expect(render(many, 16).filter((row) => row === '')).toHaveLength(399);
  expect(render('a | b\n--- | --- | ---\n')).toEqual(['a | b --- | --- | ---']);
});

test('what is still coming is shown as it will be, and a sign that may become something not at all', () => {
  const stream = new MarkdownStream({ columns: () => 40, style: colours });
  expect([stream.push('Some **bold'), stream.rest]).toEqual([[], ['Some \u001B[1mbold\u001B[22m']]);
  expect([stream.push('** text\n-'), stream.rest]).toEqual([[], ['Some \u001B[1mbold\u001B[22m text']]);
  expect([stream.push(' item'), stream.rest]).toEqual([[], ['Some \u001B[1mbold\u001B[22m text', '• item']]);
  expect([stream.push('\n\n``'), stream.rest]).toEqual([['Some \u001B[1mbold\u001B[22m text', '• item'], []]);
  expect([stream.push('`\nlet x'), stream.rest]).toEqual([['', '\u001B[2m```\u001B[22m'], ['let x']]);
  expect([stream.push(' = "\uD83D'), stream.rest]).toEqual([[], ['let x = "']]);
  expect([stream.push('\uDE00"\n'), stream.rest]).toEqual([['let x = "😀"'], []]);
  expect(stream.end()).toEqual([]);
});

test('nothing that a terminal would obey, or that hides, gets through', () => {
  expect(
    render('a\u001B]0;title\u0007b \u202Ec\u202C [x](https://e.com/\u001B[2Jy)\r\nz\u0008\u009B31m `\u001B[1m`\n'),
  ).toEqual(['ab c x (https://e.com/y) z ``']);
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), fc.array(fc.nat(200)), (text, cuts) => {
      expect(inPieces(text, cuts, { columns: 40, style: plain }).join('')).not.toMatch(
        /[^\P{Cc}\t]|[\u202A-\u202E\u2066-\u2069]/u,
      );
    }),
  );
});

const SIGNS =
  '** * _ ~~ ` `` [ ] ]( ) ( < > | - + 1. 12 # --- === \\ &lt; <br> https://e.com/a_b word 日本語 。 👩‍👩‍👧‍👦'.split(' ');
const BREAKS = [
  '\n',
  '\n\n',
  '\r\n',
  '\t',
  '    ',
  '  ',
  ' ',
  '- ',
  '> ',
  '# ',
  '1. ',
  '```\n',
  '~~~',
  '\n|---|---|\n',
];
const HOSTILE = ['e\u0301', '\u001B[31m', '\u001B]8;;x\u0007', '\u202E', '\uD83D', '\u2028'];
const words = fc.constantFrom(...SIGNS, ...BREAKS, ...HOSTILE, 'some longer words');
const documents = fc.array(words, { maxLength: 60 }).map((parts) => parts.join(''));

test('where the pieces are cut makes no difference, and looking at what is left changes nothing', () => {
  fc.assert(
    fc.property(documents, fc.array(fc.nat(400)), fc.constantFrom(12, 40, 120), (text, cuts, columns) => {
      expect(inPieces(text, cuts, { columns, style: colours })).toEqual(render(text, columns, colours));
    }),
    { numRuns: 300 },
  );
});

test('every word comes out once, and no row of words is wider than the screen', () => {
  const prose = fc.constantFrom(
    '- ',
    '> ',
    '**',
    '`',
    '*',
    '\n',
    '\n\n',
    ' ',
    '# ',
    '1. ',
    'alpha',
    'beta gamma',
    '日本語',
    'delta-',
  );
  fc.assert(
    fc.property(fc.array(prose, { maxLength: 60 }), fc.integer({ min: 40, max: 100 }), (parts, columns) => {
      const rows = render(parts.join(''), columns, colours).map((row) => stripVTControlCharacters(row));
      expect(lettersOf(rows.join(''))).toBe(lettersOf(parts.join('')));
      const code = /^ {4}/mu.test(parts.join(''));
      expect(code || rows.every((row) => textWidth(row) <= columns)).toBe(true);
    }),
  );
});

const SIZE = process.env['PLUGBOARD_FULL'] === undefined ? 100_000 : 1_000_000;

test.each([
  ['backticks', '`'.repeat(SIZE)],
  ['backticks apart', '` `` ``` '.repeat(SIZE / 8)],
  ['stars', '*'.repeat(SIZE)],
  ['stars apart', '*a **b _c '.repeat(SIZE / 8)],
  ['stars that close', `${'*a '.repeat(SIZE / 3)}${' b*'.repeat(SIZE / 3)}`],
  ['pipes', `${'|'.repeat(SIZE)}\n${'|-'.repeat(SIZE / 2)}`],
  ['tables', `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(SIZE / 6)}`],
  ['brackets', '['.repeat(SIZE)],
  ['links without an end', '[a]('.repeat(SIZE / 4)],
  ['links', '[a](b) '.repeat(SIZE / 7)],
  ['quotes', '>'.repeat(SIZE)],
  ['lists in lists', '- '.repeat(SIZE / 2)],
  ['deep lists', Array.from({ length: 300 }, (_, at) => `${'  '.repeat(at)}- x`).join('\n')],
  ['tildes', '~~a'.repeat(SIZE / 3)],
  ['backslashes', '\\'.repeat(SIZE)],
  ['addresses', 'https://'.repeat(SIZE / 8)],
  ['angles', '<'.repeat(SIZE)],
  ['blanks', ' '.repeat(SIZE)],
  ['empty lines', '\n'.repeat(SIZE)],
  ['fences', '```\n'.repeat(SIZE / 4)],
  ['one line', 'word '.repeat(SIZE / 5)],
  ['one word', 'x'.repeat(SIZE)],
])('%s without an end take no time to speak of', (_, text) => {
  const began = performance.now();
  const stream = new MarkdownStream({ columns: () => 80, style: colours });
  for (let at = 0; at < text.length; at += 1000) stream.push(text.slice(at, at + 1000));
  expect(stream.rest).toBeDefined();
  stream.end();
  expect(performance.now() - began).toBeLessThan(SIZE / 50);
});

test('a long answer comes through in a moment, a few letters at a time', () => {
  const text =
    '## Title\n\nSome **bold** words with `code` and a [link](https://e.com) here.\n\n- item *one*\n- item two\n\n'.repeat(
      SIZE / 20,
    );
  const stream = new MarkdownStream({ columns: () => 80, style: colours });
  const began = performance.now();
  let rows = 0;
  for (let at = 0; at < text.length; at += 3) rows += stream.push(text.slice(at, at + 3)).length;
  expect(rows).toBeGreaterThan(text.length / 40);
  expect(performance.now() - began).toBeLessThan(10_000);
});

interface Look {
  readonly columns: number;
  readonly style: Style;
}

function inPieces(text: string, cuts: readonly number[], { columns, style }: Look): string[] {
  const stream = new MarkdownStream({ columns: () => columns, style });
  const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
  const rows = places.slice(1).flatMap((end, at) => {
    const done = stream.push(text.slice(places[at], end));
    expect(stream.rest.length).toBeGreaterThanOrEqual(0);
    return done;
  });
  return [...rows, ...stream.end()];
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}]/gu, '');
}
