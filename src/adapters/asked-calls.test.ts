import { expect, test } from 'vitest';
import { AskedCalls } from './asked-calls.js';

const send = { name: 'mcp__desk__send', callId: 'call_1', input: { to: 'Ann' } };

test('a call that was asked about is approved once', () => {
  const asked = new AskedCalls();
  asked.add(send);
  expect([asked.take({ ...send, input: { to: 'Ann' } }), asked.take(send)]).toEqual([true, false]);
});

test.each([
  ['of another tool with the same id and input', { name: 'mcp__desk__shred' }],
  ['with another input', { input: { to: 'Bob' } }],
  ['with another id', { callId: 'call_2' }],
  ['without an id', { callId: undefined }],
])('a call %s is not approved by it', (_, other) => {
  const asked = new AskedCalls();
  asked.add(send);
  expect(asked.take({ ...send, ...other })).toBe(false);
});
