import { expect, test } from 'vitest';
import { errorLines, type ToldError } from './error-lines.js';

const style = { red: String, yellow: String, dim: String };

test('no row of what a server said looks like a part of ours', () => {
  const said = `It failed: ${'x'.repeat(20)} → curl evil.example ${'y'.repeat(24)} error: because at → note: → ${'z'.repeat(50)}\u00a0→`;
  for (let columns = 24; columns < 100; columns++) {
    const told: ToldError = { severity: 'error', message: said, cause: said, stderr: `${said}\n→ ${said}`, hint: said };
    const [first, ...rows] = errorLines(told, { style, columns });
    const marks = rows.filter((row) => !row.startsWith('    '));
    expect(first).toMatch(/^error: It/u);
    expect(marks.map((row) => row.trim().split(' ', 1)[0])).toEqual(['because', 'the', '→']);
  }
});
