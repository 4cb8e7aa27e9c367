import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { referenceFiles } from '../../scripts/reference/outputs.js';

const root = resolve(import.meta.dirname, '../..');

test.each(referenceFiles)(
  '$file says what the source says; node scripts/reference.mjs writes it',
  ({ file, toText }) => {
    const now = readFileSync(join(root, file), 'utf8');
    expect(toText(now)).toBe(now);
  },
);
