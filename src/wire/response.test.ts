import { expect, test } from 'vitest';
import { HostError } from '../base/errors.js';
import { readResponse } from './response.js';
import { computedMs } from '../../test/computed.js';

const MASKED = (text: string): string => text.replaceAll('hunter2hunter2', '***');

function refusal(error: unknown, redact?: (text: string) => string): HostError {
  const answer = readResponse({ jsonrpc: '2.0', error }, { server: 'x', method: 'tools/call', redact });
  if (answer instanceof HostError) return answer;
  throw new Error('that is no error');
}

test.each([
  [-32022, { supported: [{ toString: 1, valueOf: 1 }, null, '2026-07-28'] }],
  [-32021, { requiredCapabilities: { toString: 1, sampling: {} } }],
  [-32021, { requiredCapabilities: [{ toString: 1 }] }],
  [-32022, { supported: Array.from({ length: 100_000 }, () => 'x'.repeat(100)) }],
])('whatever %i brings with it, the call fails and nothing else', (code, data) => {
  const error = refusal({ code, message: 'no', data });
  expect(error.code).toBe('server-error');
  expect((error.hint ?? '').length).toBeLessThan(400);
});

test('what was told in confidence is in no part of an error', () => {
  const data = { deep: [{ token: 'Bearer hunter2hunter2' }], list: ['hunter2hunter2'] };
  const error = refusal({ code: -32000, message: 'bad token hunter2hunter2', data }, MASKED);
  expect(JSON.stringify([error.message, error.detail])).not.toContain('hunter2');
  expect(error.detail).toMatchObject({ data: { deep: [{ token: 'Bearer ***' }], list: ['***'] } });
});

test('a large or deep part of an error costs nobody a second', () => {
  let deep: unknown = Array.from({ length: 100_000 }, (_, index) => index % 10);
  for (let level = 0; level < 500; level++) deep = [deep];
  const began = computedMs();
  refusal({ code: -32000, message: 'x'.repeat(5_000_000), data: deep }, MASKED);
  expect(computedMs() - began).toBeLessThan(500);
});

test('a long error in a script of many bytes is cut with a mark, whichever limit it meets', () => {
  for (const letter of ['x', 'ж', '語', '😀']) {
    const said = { jsonrpc: '2.0', id: 1, error: { code: -32000, message: letter.repeat(20_000) } };
    const error = readResponse(said, { server: 'db', method: 'tools/call' });
    expect((error as Error).message).toMatch(/(?:… \[truncated\]|…)$/u);
  }
});

test('a program gets the message of an error as the server wrote it, up to a limit and without secrets', () => {
  expect(refusal({ code: -32000, message: 'a\u001b[31m red \u200bend' }).detail).toMatchObject({
    message: 'a\u001b[31m red \u200bend',
  });
  const { detail } = refusal({ code: -32000, message: `${'x'.repeat(15_995)}hunter2hunter2${'y'.repeat(99)}` }, MASKED);
  const { message } = detail as { readonly message: string };
  expect([message.length, message.slice(15_995)]).toEqual([16_000, '***yy']);
});
