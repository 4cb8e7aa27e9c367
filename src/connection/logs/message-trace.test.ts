import { expect, test } from 'vitest';
import { MessageTrace } from './message-trace.js';

const line = (ms: number, from: string, message: unknown): object => ({ ms, server: 's', from, message });

test('a response has the method and the time of its request, also where both sides use the same id', () => {
  const trace = new MessageTrace();
  expect(trace.take(line(10, 'host', { id: 1, method: 'tools/call' }))).toMatchObject({ kind: 'request', id: 1 });
  expect(trace.take(line(20, 'server', { id: 1, method: 'roots/list' }))).toMatchObject({ kind: 'request', id: 1 });
  expect(trace.take(line(25, 'host', { id: 1, result: {} }))).toMatchObject({ method: 'roots/list', tookMs: 5 });
  expect(trace.take(line(40, 'server', { id: 1, error: {} }))).toMatchObject({
    kind: 'response',
    method: 'tools/call',
    tookMs: 30,
    isError: true,
  });
  expect(trace.take(line(50, 'server', { id: 1, result: {} }))).not.toHaveProperty('method');
});

test('what a server sends is shown without control characters, whatever it is', () => {
  const trace = new MessageTrace();
  const shown = trace.take(line(0, 'server', { method: 'a\u202Eb', params: { ['\u001B[2J']: '\u001B]0;x\u0007' } }));
  // eslint-disable-next-line no-control-regex
  expect(JSON.stringify(shown)).not.toMatch(/\\u001b|\u202E|\\u0007/iu);
  for (const message of [null, 5, 'text', [], { id: {} }, { method: 5 }])
    expect(trace.take(line(0, 'server', message))).toMatchObject({ kind: 'response', from: 'server' });
});

test.each([null, 'x', {}, { ms: 'x', server: 's', from: 'host' }, { ms: 1, server: 5 }, { plugboard: 'recording' }])(
  '%j is no message',
  (value) => {
    expect(new MessageTrace().take(value)).toBeUndefined();
  },
);

test('requests that are never answered do not fill the memory', () => {
  const trace = new MessageTrace();
  for (let id = 0; id < 10_001; id++) trace.take(line(0, 'host', { id, method: 'x' }));
  expect(trace.take(line(1, 'server', { id: 10_000, result: {} }))).not.toHaveProperty('method');
  expect(trace.take(line(1, 'server', { id: 9_999, result: {} }))).toMatchObject({ method: 'x' });
});
