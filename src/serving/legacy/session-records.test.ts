import { expect, test } from 'vitest';
import { SessionRecords } from './session-records.js';

test('a session that changes nothing is not kept, and one that does is found again', () => {
  const records = new SessionRecords();
  records.of('me', 'a');
  expect(records.count).toBe(0);
  records.of('me', 'a').setLogLevel('debug');
  expect([records.count, records.of('me', 'a').logLevel]).toEqual([1, 'debug']);
  expect(records.of('you', 'a').logLevel).toBe(undefined);
  records.delete('me', 'a');
  expect([records.count, records.size]).toEqual([0, 0]);
});

test('a user who has more than all others together loses the oldest of it, and the others nothing', () => {
  const records = new SessionRecords({ count: 10, size: 1_000_000 });
  records.of('you', 'yours').setLogLevel('debug');
  for (let at = 0; at < 50; at++) records.of('me', `s${at}`).setLogLevel('info');
  expect(records.count).toBe(10);
  expect(records.of('you', 'yours').logLevel).toBe('debug');
  expect([records.of('me', 's40').logLevel, records.of('me', 's49').logLevel]).toEqual([undefined, 'info']);
});

const uri = (at: number): string => `${at}:${'x'.repeat(7_000)}`;

test('what is subscribed is bounded in characters, for a session and for all', () => {
  const records = new SessionRecords({ count: 1_000, size: 1_000_000 });
  for (let session = 0; session < 10; session++) {
    const record = records.of('me', `s${session}`);
    let taken = 0;
    while (record.subscribe(uri(taken))) taken++;
    expect(taken).toBe(36);
    record.unsubscribe(uri(0));
    expect([record.subscribe(uri(0)), record.subscribe(uri(0))]).toEqual([true, true]);
  }
  expect(records.size).toBeLessThanOrEqual(1_000_000);
  expect(records.count).toBe(3);
});
