import { expect, test } from 'vitest';
import { EventReader } from './event-reader.js';

function read(pieces: readonly Buffer[], eventLimit = 1_000): { events: readonly string[]; overflows: number } {
  let overflows = 0;
  const reader = new EventReader({ eventLimit, onOverflow: () => void overflows++ });
  const events = pieces.flatMap((piece) => reader.read(piece)).map(({ name, data }) => `${name}|${data}`);
  return { events, overflows };
}

test.each([
  ['a character of several bytes', 'data: {"a":"ü🌍"}\n\n', ['message|{"a":"ü🌍"}']],
  ['data of several lines', 'event: x\ndata: a\ndata:\ndata: b\n\ndata: c\n\n', ['x|a\n\nb', 'message|c']],
  ['events without data, and data that is empty', 'event: x\n\ndata\n\ndata: a\n\n', ['message|', 'message|a']],
  ['an event that is not whole', 'data: a\n\ndata: b\n', ['message|a']],
])('%s is read alike in whichever pieces it comes', (_, text, events) => {
  const stream = Buffer.from(text);
  expect(read([stream]).events).toEqual(events);
  expect(read(Array.from(stream, (byte) => Buffer.from([byte]))).events).toEqual(events);
  for (let cut = 1; cut < stream.length; cut++) {
    expect(read([stream.subarray(0, cut), stream.subarray(cut)]).events).toEqual(events);
  }
});

test('what has come of an event does not change with the buffer that it came in', () => {
  const reader = new EventReader({ eventLimit: 1_000, onOverflow: () => {} });
  const first = Buffer.from('data: Good ');
  expect(reader.read(first)).toEqual([]);
  first.fill('x');
  expect(reader.read(Buffer.from('morning\n\n'))).toEqual([{ name: 'message', data: 'Good morning' }]);
});

test('an event beyond the limit is told once, and the next one is read', () => {
  const long = Buffer.from(`data: ${'x'.repeat(1_001)}\n\ndata: a\n\n`);
  expect(read([long])).toEqual({ events: ['message|', 'message|a'], overflows: 1 });
  expect(read(Array.from(long, (byte) => Buffer.from([byte])))).toEqual({
    events: ['message|', 'message|a'],
    overflows: 1,
  });
  expect(read([Buffer.from(`data: ${'x'.repeat(1_000)}\n\n`)]).overflows).toBe(0);
});

test('a comment and a field that nobody knows may be of any length, and cost nothing', () => {
  const idle = Buffer.from(`: ${'x'.repeat(5_000)}\nodd: ${'y'.repeat(5_000)}\n`);
  expect(read([idle, idle, Buffer.from('data: a\n\n')])).toEqual({ events: ['message|a'], overflows: 0 });
});
