import { expect, test } from 'vitest';
import { randomHex, randomUUID } from './random-hex.js';

test('what is made by chance has the length that was asked for, and never comes twice', () => {
  const made = Array.from({ length: 1000 }, () => randomHex(12));
  expect(new Set(made).size).toBe(1000);
  expect(made.every((hex) => /^[0-9a-f]{24}$/u.test(hex))).toBe(true);
});

test('a UUID is one of version 4', () => {
  const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;
  expect(Array.from({ length: 100 }, () => randomUUID()).every((id) => pattern.test(id))).toBe(true);
});
