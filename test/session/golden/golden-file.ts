import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Compares with the file of that name beside this one, or writes it with UPDATE_GOLDEN=1: then read what is different, as a model would. */
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
