import { expect, test } from 'vitest';
import type { ErrorCode } from '../../base/error-codes.js';
import { HostError } from '../../base/errors.js';
import type { SessionEvent } from '../../session/session-event.js';
import { TurnRecord } from './turn-record.js';

function ended(name: string, code?: ErrorCode): SessionEvent {
  const error = code === undefined ? {} : { error: new HostError(code, `${name}: ${code}`) };
  const rest = { content: [], saved: [], notes: [], attempts: 1, server: undefined, tool: undefined, ms: 1.6 };
  const outcome = code === undefined ? 'ok' : 'error';
  return { kind: 'result', result: { ...rest, ...error, name, calledAs: name, callId: name, outcome } };
}

function inside(event: SessionEvent): SessionEvent {
  return { kind: 'agent', callId: 'a', agent: 'digger', event };
}

test.each<[readonly (ErrorCode | undefined)[], number]>([
  [[], 0],
  [[undefined], 0],
  [['server-error'], 0],
  [['unauthorized', undefined], 4],
  [['denied', undefined], 5],
  [['policy-denied'], 5],
  [['unauthorized', 'denied'], 5],
])('after calls that ended with %j a script sees %i', (codes, exitCode) => {
  const record = new TurnRecord(() => 0);
  for (const [at, code] of codes.entries()) record.take(ended(`tool${at}`, code));
  expect([record.exitCode, record.calls.length]).toEqual([exitCode, codes.length]);
});

test('a denial of a sub-agent counts, with what was to be sent', () => {
  const record = new TurnRecord(() => 0);
  record.take(inside({ kind: 'call', id: 'x', name: 'x', input: { n: 1 } }));
  record.take(inside(ended('x', 'denied')));
  expect(record.denials).toMatchObject([{ name: 'x', input: { n: 1 }, reason: 'x: denied' }]);
  expect(record.calls).toEqual([{ name: 'x', outcome: 'error', ms: 2, agent: 'digger' }]);
});

test('words are kept until their message is whole', () => {
  const record = new TurnRecord(() => 0);
  record.take({ kind: 'text', text: 'Half ' });
  record.take({ kind: 'text', text: 'of it' });
  expect(record.words).toBe('Half of it');
  record.take({ kind: 'message', parts: [], usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } });
  expect(record.words).toBe('');
});
