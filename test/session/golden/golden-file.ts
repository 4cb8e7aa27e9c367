import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Compares with the golden file of this name. UPDATE_GOLDEN=1 writes it: then read the diff as a model would. */
export function checkGolden(name: string, text: string): void {
  const file = join(import.meta.dirname, `${name}.txt`);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
  expect(text).toBe(read(file));
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return `(${file} is not there: UPDATE_GOLDEN=1 writes it)`;
  }
}
