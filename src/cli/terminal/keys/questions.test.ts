import { expect, test } from 'vitest';
import { styleFor } from '../../output/style.js';
import { LineQuestion } from './line-question.js';
import { KeyQuestion } from './key-question.js';
import { KeyDecoder } from './keys.js';
import { PromptEditor } from './prompt-editor.js';
import type { Completer, CompletionList } from '../screen.js';
import type { KeyHandler } from './key-handler.js';

const size = { columns: 40, rows: 8 };
const style = styleFor({ isTerminal: false, columns: 40, write: () => {} }, { env: {}, noColor: true });

function openPorts() {
  const told: string[] = [];
  return {
    told,
    print: (text: string): void => void told.push(text),
    changed: (): void => {},
    resolve: (result: unknown): void => void told.push(`=> ${JSON.stringify(result)}`),
    reject: (error: Error): void => void told.push(`!! ${error.message}`),
  };
}

function type(keyHandler: KeyHandler, text: string): void {
  const decoder = new KeyDecoder((key) => keyHandler.key(key));
  decoder.push(Buffer.from(text));
  decoder.settle();
}

function openPrompt(completions: Completer = () => undefined, draft = '', history: readonly string[] = []) {
  const ports = openPorts();
  const keyHandler = new PromptEditor({ ...ports, mark: '> ', history, completions, draft, style });
  return {
    keyHandler,
    told: ports.told,
    rows: () => [...keyHandler.draw(size).rows, ...(keyHandler.draw(size).below ?? [])],
  };
}

test('of a question that is longer than the screen nothing is hidden', () => {
  const rows = Array.from({ length: 12 }, (_, at) => `row ${at}`);
  const ports = openPorts();
  const keyHandler = new KeyQuestion({ ...ports, rows: () => [...rows, 'y/n: '], keys: { y: 'yes' } });
  keyHandler.begin(size);
  expect([...ports.told, ...keyHandler.draw(size).rows].join('\n')).toBe([...rows, 'y/n: '].join('\n'));
  type(keyHandler, 'y');
  expect(ports.told.slice(1).join('\n')).toBe([...rows.slice(8), 'y/n: y', '=> "yes"'].join('\n'));
  const asked = openPorts();
  const question = new LineQuestion({ ...asked, question: `${rows.join('\n')}\nName: `, isSecret: false });
  question.begin(size);
  expect([...asked.told, ...question.draw(size).rows].join('\n')).toBe([...rows, 'Name: '].join('\n'));
  type(question, 'x\r');
  expect(asked.told.slice(1)).toEqual([[...rows.slice(8), 'Name: x'].join('\n'), '=> "x"']);
});

test('long rows of a question are broken, so that their end can be read', () => {
  const keyHandler = new KeyQuestion({
    ...openPorts(),
    rows: () => ['word '.repeat(12), '[y]es: '],
    keys: { y: 'yes' },
  });
  expect(keyHandler.draw(size)).toEqual({
    rows: ['word word word word word word word word', 'word word word word ', '[y]es: '],
    cursor: { row: 2, column: 7 },
  });
});

test('only the keys that were named answer, with nothing held down', () => {
  const ports = openPorts();
  const keyHandler = new KeyQuestion({ ...ports, rows: () => ['? '], keys: { y: 'yes', return: 'enter' } });
  type(keyHandler, 'x\u0019\u001By \u001B[200~y\r\u001B[201~constructor');
  expect(ports.told).toEqual([]);
  type(keyHandler, '\r');
  expect(ports.told).toEqual(['? return', '=> "enter"']);
});

function checkPasted(pasted: string, expected: string): void {
  const ports = openPorts();
  const keyHandler = new LineQuestion({ ...ports, question: '', isSecret: true });
  type(keyHandler, `\u001B[200~${pasted}\u001B[201~\r`);
  expect(ports.told.at(-1)).toBe(`=> ${JSON.stringify(expected)}`);
}

test('an address that a mail has broken is one again, and words stay apart', () => {
  checkPasted('https://example.com/\n  callback?code=1\r\n', 'https://example.com/callback?code=1');
  checkPasted('two words\nand more', 'two words and more');
});

test('what a completer finds later counts only as long as the same text stands there', () => {
  const laters: ((found: CompletionList) => void)[] = [];
  const { keyHandler, rows } = openPrompt((_text, _cursor, later) => void laters.push(later));
  const found = { from: 0, to: 2, items: [{ text: '@abc', about: '', isWhole: false }] };
  type(keyHandler, '@a');
  laters[0]!(found);
  expect(rows()).toEqual(['> @a']);
  laters[1]!(found);
  expect(rows()).toEqual(['> @a', '> @abc']);
  type(keyHandler, '\t');
  expect(rows()).toEqual(['> @abc']);
  laters[1]!(found);
  expect(rows()).toEqual(['> @abc']);
});

function itemsOf(...texts: string[]): CompletionList {
  return { from: 0, to: 1, items: texts.map((text) => ({ text, about: '', isWhole: true })) };
}

test('a choice in the menu outlives what becomes known later', () => {
  const laters: ((found: CompletionList) => void)[] = [];
  const { keyHandler, rows } = openPrompt((_text, _cursor, later) => {
    laters.push(later);
    return itemsOf('@one', '@two');
  });
  type(keyHandler, '@\u001B[B');
  laters[0]!(itemsOf('@new', '@one', '@two'));
  expect(rows()).toEqual(['> @', '  @new', '  @one', '> @two']);
  type(keyHandler, '\r');
  expect(rows()[0]).toBe('> @two ');
});

test('a draft and what was entered before are shown without what a terminal would obey', () => {
  const { keyHandler, rows, told } = openPrompt(undefined, 'red \u001B[31m\u0007', ['old \u001B]0;x\u0007']);
  expect(rows()).toEqual(['> red [31m']);
  type(keyHandler, '\u0015\u001B[A');
  expect(rows()).toEqual(['> old ]0;x']);
  type(keyHandler, '\r');
  expect(told).toEqual(['> old ]0;x', '=> {"kind":"text","text":"old ]0;x"}']);
});

test('a prompt that is entered shows as much of it as somebody would read', () => {
  const { keyHandler, told } = openPrompt();
  type(keyHandler, `\u001B[200~${'line\n'.repeat(5000)}\u001B[201~\r`);
  expect(told[0]!.split('\n')).toHaveLength(101);
  expect(told[0]!.endsWith('\n  … 25000 characters in all')).toBe(true);
  expect(told[1]!.length).toBeGreaterThan(25_000);
});

test('Enter alone enters nothing, and an end of the terminal leaves', () => {
  const { keyHandler, told } = openPrompt();
  type(keyHandler, '\r \r');
  expect(told).toEqual([]);
  keyHandler.end();
  expect(told).toEqual(['=> {"kind":"leave"}']);
});

test.each([
  ['Enter sends the suggestion', '\r', 'Try this'],
  ['a typed letter replaces it', '/mcp\r', '/mcp'],
  ['what is pasted replaces it', '\u001B[200~hello\u001B[201~\r', 'hello'],
  ['a deletion begins to change it', '\u007F\r', 'Try thi'],
  ['a cursor key begins to change it', '\u001B[D.\r', 'Try thi.s'],
])('of a suggestion in the prompt: %s', (_, keys, expected) => {
  const ports = openPorts();
  const keyHandler = new PromptEditor({
    ...ports,
    mark: '> ',
    history: [],
    completions: () => undefined,
    draft: '',
    suggestion: 'Try this',
    style,
  });
  expect(keyHandler.text).toBe('');
  type(keyHandler, keys);
  expect(ports.told.at(-1)).toBe(`=> ${JSON.stringify({ kind: 'text', text: expected })}`);
});
