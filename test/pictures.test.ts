import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

interface Style {
  readonly foreground: number | string | null;
  readonly background: number | string | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
}

interface Run {
  readonly text: string;
  readonly column: number;
  readonly width: number;
  readonly style: Style;
}

const folder = resolve(import.meta.dirname, '../scripts/pictures');
const { parseTerminalText } = (await import(pathToFileURL(join(folder, 'terminal-text.mjs')).href)) as {
  parseTerminalText: (text: string) => readonly (readonly Run[])[];
};
const { toTerminalPage } = (await import(pathToFileURL(join(folder, 'terminal-page.mjs')).href)) as {
  toTerminalPage: (screen: { rows: unknown; columns: number; title: string }) => {
    readonly html: string;
    readonly size: { readonly width: number; readonly height: number };
  };
};

const plain: Style = {
  foreground: null,
  background: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
};

/** Compares the runs of the last row: text, column, width, and what is not plain about the style. */
function check(text: string, ...runs: readonly (readonly [string, number, number, Partial<Style>?])[]): void {
  const expected = runs.map(([shown, column, width, style]) => ({
    text: shown,
    column,
    width,
    style: { ...plain, ...style },
  }));
  expect(parseTerminalText(text).at(-1)).toEqual(expected);
}

test.each<[string, Partial<Style>]>([
  ['31', { foreground: 1 }],
  ['97', { foreground: 15 }],
  ['42', { background: 2 }],
  ['100', { background: 8 }],
  ['38;5;208', { foreground: 208 }],
  ['48:5:17', { background: 17 }],
  ['38;2;1;20;255', { foreground: '#0114ff' }],
  ['38:2::1:20:255', { foreground: '#0114ff' }],
  ['48;2;0;0;0;1', { background: '#000000', bold: true }],
  ['1;2;3;4;7', { bold: true, dim: true, italic: true, underline: true, inverse: true }],
  ['1;2;22', {}],
  ['4:3', { underline: true }],
  ['4;4:0', {}],
  ['31;41;39', { background: 1 }],
  ['31;1;0', {}],
  ['31;', {}],
  ['', {}],
  ['38;5;300', {}],
  ['38;9;1;3', { bold: false, italic: true }],
  ['58;5;3', {}],
])('a picture shows the style of the parameters %j', (parameters, style) =>
  check(`\u001B[${parameters}mab`, ['ab', 0, 2, style]),
);

test('a picture keeps a style until it ends, also over the end of a row', () => {
  check('\u001B[1ma\nb\u001B[0mc', ['b', 0, 1, { bold: true }], ['c', 1, 1]);
});

test('a picture puts letters that are not ASCII into their own cells', () => {
  check('a─界b', ['a', 0, 1], ['─', 1, 1], ['界', 2, 2], ['b', 4, 1]);
  check('✔ e\u0301👍x', ['✔', 0, 1], [' e', 1, 2], ['👍', 3, 2], ['x', 5, 1]);
});

test('a picture shows no escape sequence and no control character', () => {
  check('\u001B]8;;https://example.com\u001B\\link\u001B]8;;\u0007', ['link', 0, 4]);
  check('a\u001B[2Kb\u001B(Bc\u0007', ['a', 0, 1], ['b', 1, 1], ['c', 2, 1]);
});

test('a picture shows colours, signs of HTML and swapped colours', () => {
  const rows = parseTerminalText('\u001B[38;5;196m<b>&"\u001B[0;7mx\u001B[0;38;5;232my\u001B[2;37mz');
  const { html, size } = toTerminalPage({ rows, columns: 20, title: 'a < b' });
  expect(html).toContain('<title>a &lt; b</title>');
  expect(html).toContain('color:#ff0000">&lt;b&gt;&amp;&quot;</span>');
  expect(html).toContain('color:#1b1f27;background:#d8dee9">x</span>');
  expect(html).toContain('color:#080808">y</span>');
  expect(html).toContain('color:#8c929b">z</span>');
  expect(size).toEqual({ width: 246, height: 120 });
});
