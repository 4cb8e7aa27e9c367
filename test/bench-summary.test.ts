import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

interface Summary {
  readonly list: readonly { readonly what: string; readonly aim: number; readonly now: number }[];
}

const folder = resolve(import.meta.dirname, '../bench');
const { toMarkdown, withTable } = (await import(pathToFileURL(join(folder, 'summary/summary.mjs')).href)) as {
  toMarkdown: (summary: Summary) => string;
  withTable: (readme: string, table: string) => string;
};
const { toPicture } = (await import(pathToFileURL(join(folder, 'summary/picture.mjs')).href)) as {
  toPicture: (summary: Summary) => string;
};
const summary = JSON.parse(read('summary/summary.json')) as Summary;

test('the table and the picture of the benches say what was measured', () => {
  expect(withTable(read('README.md'), toMarkdown(summary))).toBe(read('README.md'));
  expect(toPicture(summary)).toBe(read('summary.svg'));
});

test('a reader sees which aims were missed', () => {
  const lines = toMarkdown(summary).split('\n');
  for (const { what, aim, now } of summary.list) {
    const line = lines.find((one) => one.includes(`| ${what} `));
    expect(line?.includes('(missed)')).toBe(now > aim);
  }
});

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}
