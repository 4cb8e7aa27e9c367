import { expect, test } from 'vitest';
import { EventReader } from './event-reader.js';

const OPTIONS = { eventLimit: 1_000, toOverflow: () => new Error('too large') };

function read(...pieces: readonly Buffer[]): readonly string[] {
  const reader = new EventReader(OPTIONS);
  return pieces.flatMap((piece) => reader.read(piece)).map(({ name, data }) => `${name}|${data}`);
}

function bytewise(text: string): readonly Buffer[] {
  return Array.from(Buffer.from(text), (byte) => Buffer.from([byte]));
}

test.each([
  ['a character of several bytes', 'data: {"a":"ü🌍"}\n\n', ['message|{"a":"ü🌍"}']],
  ['data of several lines', 'event: x\ndata: a\ndata:\ndata: b\n\ndata: c\n\n', ['x|a\n\nb', 'message|c']],
  ['events without data, and data that is empty', 'event: x\n\ndata\n\ndata: a\n\n', ['message|', 'message|a']],
  ['an event that is not whole', 'data: a\n\ndata: b\n', ['message|a']],
])('%s is read alike in whichever pieces it comes', (_, text, events) => {
  const stream = Buffer.from(text);
  expect(read(stream)).toEqual(events);
  expect(read(...bytewise(text))).toEqual(events);
  for (let cut = 1; cut < stream.length; cut++) {
    expect(read(stream.subarray(0, cut), stream.subarray(cut))).toEqual(events);
  }
});

test('what has come of an event does not change with the buffer that it came in', () => {
  const reader = new EventReader(OPTIONS);
  const first = Buffer.from('data: Good ');
  expect(reader.read(first)).toEqual([]);
  first.fill('x');
  expect(reader.read(Buffer.from('morning\n\n'))).toEqual([{ name: 'message', data: 'Good morning' }]);
});

test('an event beyond the limit is none, in one piece or in many', () => {
  const long = `data: ${'x'.repeat(1_001)}\n\n`;
  expect(() => read(Buffer.from(long))).toThrow('too large');
  expect(() => read(...bytewise(long))).toThrow('too large');
  expect(() => read(Buffer.from('data\n'.repeat(100_010)))).toThrow('too large');
  expect(read(Buffer.from(long.replace('xx', 'x')))).toEqual([`message|${'x'.repeat(1_000)}`]);
});

test('a comment and a field that nobody knows may be of any length, and are not kept', () => {
  const idle = Buffer.from(`: ${'x'.repeat(5_000)}\nodd: ${'y'.repeat(5_000)}\n`);
  expect(read(idle, idle, Buffer.from('data: a\n\n'))).toEqual(['message|a']);
});
