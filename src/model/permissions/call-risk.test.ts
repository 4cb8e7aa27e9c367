import { expect, test } from 'vitest';
import { callRisk } from './call-risk.js';
import type { StatedHints } from '../stated-hints.js';

const hints = { readOnly: false, destructive: true, idempotent: false, openWorld: true };

test.each<[string, StatedHints | undefined, string]>([
  ['states nothing', {}, 'high unknown, so take it as high: the server does not say'],
  ['only reads', { readOnly: true }, 'low low, if the server is right'],
  ['says that it reads and destroys', { readOnly: true, destructive: true }, 'low low, if the server is right'],
  ['destroys', { destructive: true }, 'high high: the tool may destroy data'],
  ['changes, and destroys nothing', { readOnly: false, destructive: false }, 'medium medium: the tool changes data;'],
  ['changes, and says no more', { readOnly: false }, 'high high: the tool changes data, and the server does not say'],
  ['is built in and destroys', undefined, 'high high: the tool may destroy data'],
])('the risk of a tool that %s is in words', (_, stated, expected) => {
  const { level, text } = callRisk({ hints, stated });
  expect(`${level} ${text}`.slice(0, expected.length)).toBe(expected);
});

test('the risk of a tool that Plugboard brings is what Plugboard states', () => {
  expect(callRisk({ hints: { ...hints, readOnly: true } }).text).toBe('low: the tool only reads');
  expect(callRisk({ hints: { ...hints, destructive: false } }).text).toBe('medium: the tool changes data');
});
