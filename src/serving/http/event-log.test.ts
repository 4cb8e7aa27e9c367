import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { EVENT_LIMITS, EventLogs, type LoggedEvent, type StreamReader } from './event-log.js';

const open = (limits = {}) => {
  const clock = new FakeClock();
  return { clock, logs: new EventLogs(clock, { ...EVENT_LIMITS, ...limits }) };
};
const missed = (logs: EventLogs, id: string, session = 'a') => {
  const found = logs.after(session, id);
  return found.kind === 'found' ? found.events.map(({ json }) => json) : found.kind;
};

/** A connection that writes down what it is told. */
class Connection implements StreamReader {
  readonly told: string[] = [];
  event({ json }: LoggedEvent): void {
    this.told.push(json);
  }
  end(): void {
    this.told.push('end');
  }
  replaced(): void {
    this.told.push('replaced');
  }
}

test('a client that comes back gets what followed on that stream, and nothing of others', () => {
  const { logs } = open();
  const [one, other] = [logs.open('a'), logs.open('a')];
  one.append('1');
  other.append('x');
  one.append('2');
  one.append('3');
  expect(missed(logs, one.firstId)).toEqual(['1', '2', '3']);
  expect(missed(logs, `${one.id}-2`)).toEqual(['3']);
  expect(missed(logs, `${one.id}-3`)).toEqual([]);
  expect(missed(logs, other.firstId)).toEqual(['x']);
});

test('ids of other sessions or of no event are unknown', () => {
  const { logs } = open();
  const [mine, foreign, former] = [logs.open('a'), logs.open('b'), open().logs.open('b')];
  for (const stream of [mine, foreign, former]) stream.append('1');
  const odd = ['', '-', 'x', mine.id, `${mine.id}-`, `${mine.id}-2`, `${mine.id}--1`, `${mine.id}-01`, `${mine.id}-1x`];
  const ids = [foreign.firstId, former.firstId, ...odd, `${mine.id}z-0`, `${mine.id}${'0'.repeat(100)}-0`];
  expect(ids.map((id) => missed(logs, id))).toEqual(ids.map(() => 'unknown'));
  expect(missed(logs, mine.firstId, 'nobody')).toBe('unknown');
});

test('ids of the session from before a restart, or from before its log was dropped, are known as such', () => {
  const [former, { logs }] = [open().logs.open('a'), open()];
  const { id } = former;
  const odd = [id, `${id}-`, `${id}-x`, `${id}-01`, `${id}é-0`, `${id.slice(0, 16)}-0`, `${id.slice(0, 12)}-0`];
  const seen = (): unknown => [`${id}-0`, `${id}-7`, ...odd].map((one) => missed(logs, one));
  const expected = ['earlier', 'earlier', ...odd.map(() => 'unknown')];
  expect(seen()).toEqual(expected);
  const mine = logs.open('a');
  expect(seen()).toEqual(expected);
  expect(missed(logs, mine.firstId)).toEqual([]);
  logs.drop('a');
  logs.open('a');
  expect([missed(logs, mine.firstId), missed(logs, mine.firstId, 'b')]).toEqual(['earlier', 'unknown']);
});

test('a session keeps its newest events, and says when some of what followed is gone', () => {
  const { logs } = open({ events: 10 });
  const [one, other] = [logs.open('a'), logs.open('a')];
  one.append('old');
  for (let at = 1; at <= 10; at++) other.append(`${at}`);
  expect(missed(logs, one.firstId)).toBe('gone');
  expect(missed(logs, `${one.id}-1`)).toEqual([]);
  other.append('11');
  expect(missed(logs, other.firstId)).toBe('gone');
  expect(missed(logs, `${other.id}-1`)).toHaveLength(10);
});

test('a session keeps no more text than it may, and no event that is larger', () => {
  const { logs } = open({ size: 10_000 });
  const stream = logs.open('a');
  stream.append('1');
  stream.append('x'.repeat(9_000));
  expect(missed(logs, stream.firstId)).toHaveLength(2);
  stream.append('x'.repeat(9_000));
  expect([missed(logs, `${stream.id}-1`), missed(logs, `${stream.id}-2`)]).toEqual(['gone', ['x'.repeat(9_000)]]);
  stream.append('x'.repeat(20_000));
  expect([missed(logs, `${stream.id}-3`), missed(logs, `${stream.id}-4`)]).toEqual(['gone', []]);
});

test('all sessions together keep no more than they may: those that were silent for longest forget', () => {
  const { logs } = open({ sizeOfAll: 10_000 });
  const streams = ['a', 'b', 'c'].map((session) => logs.open(session));
  for (const stream of streams) stream.append('x'.repeat(3_000));
  streams[0]!.append('y');
  streams[2]!.append('x'.repeat(3_000));
  expect(missed(logs, streams[0]!.firstId, 'a')).toHaveLength(2);
  expect(missed(logs, streams[1]!.firstId, 'b')).toBe('gone');
  expect(missed(logs, streams[2]!.firstId, 'c')).toHaveLength(2);
});

test('events are forgotten after their time, by one timer for all sessions', async () => {
  const { clock, logs } = open();
  const streams = Array.from({ length: 100 }, (_, index) => logs.open(`s${index}`));
  for (const stream of streams) stream.append('1');
  await clock.pass(300_000);
  streams[0]!.append('2');
  for (const stream of streams) stream.end();
  expect(clock.timers).toBe(1);
  await clock.pass(300_000);
  expect([logs.count, missed(logs, `${streams[0]!.id}-1`, 's0')]).toEqual([1, ['2']]);
  expect(missed(logs, streams[0]!.firstId, 's0')).toBe('gone');
  await clock.pass(360_000);
  expect([logs.count, clock.timers]).toEqual([0, 0]);
});

test('a stream that goes on can still be followed when its events are forgotten', async () => {
  const { clock, logs } = open();
  const stream = logs.open('a');
  stream.append('1');
  await clock.pass(3_600_000);
  expect(missed(logs, `${stream.id}-1`)).toEqual([]);
  stream.append('2');
  expect(missed(logs, `${stream.id}-1`)).toEqual(['2']);
  stream.end();
});

test('a stream has one connection at a time: a client that is back replaces the one it lost', () => {
  const { logs } = open();
  const stream = logs.open('a');
  const [first, second, late] = [new Connection(), new Connection(), new Connection()];
  stream.attach(first);
  stream.append('1');
  stream.attach(second);
  stream.detach(first);
  stream.append('2');
  expect(stream.unreadSince).toBeUndefined();
  stream.end();
  stream.end();
  stream.append('3');
  stream.attach(late);
  expect([first.told, second.told, late.told, stream.unreadSince === undefined]).toEqual([
    ['1', 'replaced'],
    ['2', 'end'],
    ['end'],
    false,
  ]);
  expect(missed(logs, stream.firstId)).toEqual(['1', '2']);
});

test('a session that has ended keeps nothing, though its streams may still be written to', () => {
  const { logs } = open({ sizeOfAll: 1_000 });
  const stream = logs.open('a');
  stream.append('1');
  logs.drop('a');
  for (let at = 0; at < 100; at++) stream.append('x'.repeat(100));
  expect([logs.count, missed(logs, stream.firstId)]).toEqual([0, 'earlier']);
  const other = logs.open('b');
  other.append('1');
  expect(missed(logs, other.firstId, 'b')).toEqual(['1']);
});

test('when the listener is closed no timer is left', () => {
  const { clock, logs } = open();
  logs.open('a').append('1');
  logs[Symbol.dispose]();
  logs[Symbol.dispose]();
  expect([clock.timers, logs.count]).toEqual([0, 0]);
});
