import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { composeRows } from './compose.js';
import { Footer } from './footer.js';

/** A minimal terminal: letters of one column, and the sequences that move up and right and erase. Does not reflow. */
class Paper {
  rows: string[][] = [[]];
  row = 0;
  column = 0;
  isHidden = false;
  #wraps = true;
  readonly #columns: number;
  readonly #height: number;

  constructor(columns: number, height: number) {
    this.#columns = columns;
    this.#height = height;
  }

  write(text: string): void {
    const [start = '', ...rest] = text.split('\u001B[');
    for (const letter of start) this.#put(letter);
    for (const part of rest) {
      const [sequence = '', count = '', command = ''] = /^(\??\d*)([A-Za-z])/u.exec(part) ?? [];
      this.#carryOut(command, count);
      for (const letter of part.slice(sequence.length)) this.#put(letter);
    }
  }

  get lines(): string[] {
    return this.rows.map((row) => row.join('').trimEnd());
  }

  #put(letter: string): void {
    if (letter === '\r') this.column = 0;
    else if (letter === '\n') {
      this.row++;
      this.column = 0; // as the terminal driver does
      if (this.row === this.rows.length) this.rows.push([]);
    } else {
      if (this.column === this.#columns) {
        if (this.#wraps) this.#put('\n');
        else this.column--;
      }
      const row = this.rows[this.row]!;
      while (row.length < this.column) row.push(' ');
      row[this.column++] = letter;
    }
  }

  #carryOut(command: string, count: string): void {
    const many = Number(count) || 1;
    if (command === 'A') this.row = Math.max(this.row - many, this.rows.length - this.#height, 0);
    else if (command === 'C') this.column = Math.min(this.column + many, this.#columns - 1);
    else if (command === 'K') this.rows[this.row]!.length = Math.min(this.column, this.rows[this.row]!.length);
    else if (command === 'J') {
      this.#carryOut('K', '');
      for (const row of this.rows.slice(this.row + 1)) row.length = 0;
    } else if (count === '?7') this.#wraps = command === 'h';
    else if (count === '?25') this.isHidden = command === 'l';
  }
}

const words = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 50 });
const steps = fc.array(
  fc.record({
    stream: fc.array(words, { maxLength: 6 }),
    keyHandler: fc.option(fc.array(words, { minLength: 1, maxLength: 6 }), { nil: undefined }),
    status: fc.array(words, { maxLength: 1 }),
    printed: fc.array(words, { maxLength: 4 }),
  }),
  { maxLength: 12 },
);

test('whatever is printed and shown, all that was printed stands there, and below it what is shown, once', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 20, max: 60 }), fc.integer({ min: 5, max: 30 }), (all, columns, rows) => {
      const size = { columns, rows };
      const paper = new Paper(columns, rows);
      const expected = new Paper(columns, rows);
      const foot = new Footer({ isReflowing: true });
      for (const { stream, keyHandler, status, printed } of all) {
        const cursor = { row: (keyHandler?.length ?? 1) - 1, column: 3 };
        const frame = composeRows(
          { zones: { stream, status }, keyHandler: keyHandler && { rows: keyHandler, cursor } },
          size,
        );
        const above = printed.map((line) => `${line}\n`).join('');
        paper.write(foot.draw(frame, { above, size }));
        expected.write(above);
        const start = expected.lines.slice(0, -1);
        const shown = [...start, ...frame.rows.map((row) => row.trimEnd())];
        expect(paper.lines.slice(0, shown.length)).toEqual(shown);
        expect(paper.lines.slice(shown.length).join('')).toBe('');
        const cell = frame.cursor ?? { row: Math.max(frame.rows.length - 1, 0), column: 0 };
        expect([paper.row, paper.column]).toEqual([start.length + cell.row, cell.column]);
        expect(paper.isHidden).toBe(frame.rows.length > 0 && frame.cursor === undefined);
        // Drawing the same frame again writes nothing.
        expect(foot.draw(frame, { above: '', size })).toBe('');
      }
      paper.write(foot.erase(size));
      expect(paper.lines.slice(expected.lines.length - 1).join('')).toBe('');
      expect(paper.isHidden).toBe(false);
    }),
    { numRuns: process.env['PLUGBOARD_FULL'] ? 10_000 : 200 },
  );
});

test('one letter more costs few bytes, however much stands there', () => {
  const size = { columns: 80, rows: 24 };
  const foot = new Footer({ isReflowing: true });
  const stream = Array.from({ length: 8 }, (_, at) => `row ${at} ${'of many words '.repeat(4)}`);
  const frameOf = (text: string) =>
    composeRows({ zones: { stream }, keyHandler: { rows: [text], cursor: { row: 0, column: 2 } } }, size);
  foot.draw(frameOf('> a'), { above: '', size });
  expect(foot.draw(frameOf('> ab'), { above: '', size }).length).toBeLessThan(80);
});

test('where there is not room for all, the prompt stays, then what is below it, then the newest of the rest', () => {
  const zones = { stream: ['s1', 's2'], work: ['w1', 'w2'], status: ['status'] };
  const keyHandler = { rows: ['> one', '  two'], cursor: { row: 1, column: 5 }, below: ['menu'] };
  const check = (rows: number, expected: readonly string[], row: number): void => {
    const frame = composeRows({ zones, keyHandler }, { columns: 40, rows });
    expect([frame.rows, frame.cursor?.row]).toEqual([expected, row]);
  };
  check(20, ['s1', 's2', 'w1', 'w2', '> one', '  two', 'menu', 'status'], 5);
  check(7, ['w1', 'w2', '> one', '  two', 'menu', 'status'], 3);
  check(5, ['> one', '  two', 'menu', 'status'], 1);
  check(2, ['  two'], 0);
});
