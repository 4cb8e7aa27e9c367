import { expect, test } from 'vitest';
import { DrawnBlock } from './drawn-block.js';
import { wrapBlockRow } from './text/block-rows.js';
import { textWidth } from './text/text-width.js';

function openBlock(): { readonly block: DrawnBlock; readonly printed: string[] } {
  const printed: string[] = [];
  const block = new DrawnBlock({
    print: (text) => void printed.push(text),
    changed: () => {},
    question: () => Promise.reject(new Error('nobody answers')),
    animate: () => ({ [Symbol.dispose]() {} }),
    onEnd: () => {},
  });
  return { block, printed };
}

const size = { columns: 40, rows: 24 };
const rowsFrom = (count: number): string[] => Array.from({ length: count }, (_, at) => `row ${at}`);

test('what fits stands at the foot, and one line stays when it is answered', () => {
  const { block, printed } = openBlock();
  block.print('title\nrow');
  expect(block.draw(size, 10)).toEqual({ above: [], rows: ['title', 'row'] });
  block.fold('✔ done');
  expect(printed).toEqual(['✔ done']);
});

test('what does not fit is printed once, from its top, so that nothing is hidden', () => {
  const { block } = openBlock();
  block.print(rowsFrom(12).join('\n'));
  expect(block.draw(size, 5)).toEqual({ above: rowsFrom(7), rows: rowsFrom(12).slice(7) });
  expect(block.draw(size, 5)).toEqual({ above: [], rows: rowsFrom(12).slice(7) });
});

test('a view that is taller than the screen is printed whole, and again when a key has changed it', () => {
  const { block } = openBlock();
  let rows = rowsFrom(9);
  block.view({ draw: () => rows, key: () => true });
  expect(block.draw(size, 5)).toEqual({ above: rowsFrom(9), rows: [] });
  expect(block.draw(size, 5)).toEqual({ above: [], rows: [] });
  rows = rowsFrom(3);
  block.view({ draw: () => rows, key: () => true });
  expect(block.draw(size, 5)).toEqual({ above: [], rows: rowsFrom(3) });
});

test('an answered part is one row, which is left out where room is short', () => {
  const { block } = openBlock();
  block.print('title');
  for (const name of ['one', 'two', 'three']) {
    const part = block.begin();
    block.print(`${name}?\n${name}: 1`);
    part.settle([`${name} is 1`]);
  }
  block.print('four?');
  expect(block.draw(size, 10).rows).toEqual(['title', 'one is 1', 'two is 1', 'three is 1', 'four?']);
  expect(block.draw(size, 3)).toEqual({ above: [], rows: ['title', 'three is 1', 'four?'] });
  expect(block.draw(size, 1)).toEqual({ above: ['title'], rows: ['four?'] });
});

test('a part is removed with those after it, also when rows before it were printed', () => {
  const { block } = openBlock();
  block.print('title');
  const one = block.begin();
  block.print('one?\nmore');
  const two = block.begin();
  block.print('two?');
  expect(block.draw(size, 2)).toEqual({ above: ['title', 'one?'], rows: ['more', 'two?'] });
  two.settle(['two is 1']);
  expect(block.draw(size, 2).rows).toEqual(['more', 'two is 1']);
  one.remove();
  expect(block.draw(size, 2)).toEqual({ above: [], rows: [] });
});

test('an address longer than a row is printed in one piece, to be copied', () => {
  const { block } = openBlock();
  const url = `https://example.com/${'a'.repeat(60)}`;
  block.print(`title\n${url}\nafter`);
  expect(block.draw(size, 10)).toEqual({ above: ['title', url], rows: ['after'] });
});

test('a dialog that is kept leaves all of its lines', () => {
  const { block, printed } = openBlock();
  block.print('one\ntwo');
  block.keep('end');
  expect(printed).toEqual(['one\ntwo\nend']);
});

test.each([
  ['| ', '| word word word word word word word word'],
  ['|   + ', '|   + added added added added added added added'],
  ['=> ', '=> our words our words our words our words our words'],
  ['!! ', '!! warning warning warning warning warning warning'],
  ['  ', '  own words own words own words own words'],
])('after the screen gets narrow, each row of a line has its mark %j', (mark, line) => {
  const rows = wrapBlockRow(line, 20);
  expect(rows.length).toBeGreaterThan(1);
  for (const row of rows) {
    expect(row.startsWith(mark)).toBe(true);
    expect(textWidth(row)).toBeLessThan(20);
  }
});
