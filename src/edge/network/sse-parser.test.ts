import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { SseParser } from './sse-parser.js';

interface Seen {
  readonly events: string[];
  readonly id: string;
}

/** Parses these chunks: `name|data` per event, `retry N`, `overflow`. */
function read(chunks: readonly Buffer[], eventLimit = 1_000_000): Seen {
  const events: string[] = [];
  let pieces: Buffer[] = [];
  const parser = new SseParser(
    {
      data: (bytes) => void pieces.push(Buffer.from(bytes)),
      event(name) {
        events.push(`${name}|${Buffer.concat(pieces).toString()}`);
        pieces = [];
      },
      retry: (milliseconds) => void events.push(`retry ${milliseconds}`),
      overflow: () => void events.push('overflow'),
    },
    { eventLimit },
  );
  for (const chunk of chunks) parser.push(chunk);
  return { events, id: parser.lastEventId };
}

function bytewise(stream: Buffer): Buffer[] {
  return Array.from(stream, (byte) => Buffer.from([byte]));
}

/** Parses the text whole, byte by byte, and in two chunks cut at every offset: the result must be the same. */
function check(text: string | Buffer, events: readonly string[], id = ''): void {
  const stream = Buffer.from(text as string);
  const expected = { events, id };
  expect(read([stream])).toEqual(expected);
  expect(read(bytewise(stream))).toEqual(expected);
  for (let cut = 1; cut < stream.length; cut++) {
    expect(read([stream.subarray(0, cut), stream.subarray(cut)])).toEqual(expected);
  }
}

test.each<[what: string, text: string, events: readonly string[], id?: string]>([
  ['a plain message', 'data: {"a":1}\n\n', ['message|{"a":1}']],
  ['a named event', 'event: endpoint\ndata: /x\n\n', ['endpoint|/x']],
  ['a name that comes behind its data', 'data: /x\nevent: endpoint\n\ndata: y\n\n', ['endpoint|/x', 'message|y']],
  ['lines that end in CR LF', 'event: a\r\ndata: x\r\ndata: y\r\n\r\ndata: z\r\n\r\n', ['a|x\ny', 'message|z']],
  ['lines that end in CR only', 'event: a\rdata: x\rdata: y\r\rdata: z\r\r', ['a|x\ny', 'message|z']],
  [
    'all three line ends in one stream',
    'data: a\n\ndata: b\r\n\r\ndata: c\r\r',
    ['message|a', 'message|b', 'message|c'],
  ],
  ['a byte order mark', '\ufeffdata: x\n\n', ['message|x']],
  ['a byte order mark that is not at the start', 'data: x\n\n\ufeffdata: y\n\n', ['message|x']],
  ['no blank behind the colon', 'data:x\n\n', ['message|x']],
  ['a second blank, which belongs to the data', 'data:  x\n\n', ['message| x']],
  ['data of several lines', 'data: a\ndata:\ndata: b\n\n', ['message|a\n\nb']],
  ['a field without a colon', 'data\n\n', ['message|']],
  ['colons within the data', 'data: a:b: c\n\n', ['message|a:b: c']],
  ['comments and unknown fields', ': hello\nfoo: bar\nunknown-field-name: x\ndata: x\n:\n\n', ['message|x']],
  ['text beyond ASCII', 'data: grüße 🎉\n\n', ['message|grüße 🎉']],
  ['an event without data, which is none', 'event: a\n\ndata: x\n\n', ['message|x']],
  ['an event that was never finished', 'data: x\n\ndata: y\n', ['message|x']],
  ['a JSON body that calls itself an event stream', '{"jsonrpc":"2.0","id":1,"result":{}}\n', []],
  ['a priming event', 'id: 7\ndata:\n\n', ['message|'], '7'],
  ['an id without data', 'id: 7\n\n', [], '7'],
  ['an id that later events inherit', 'id: 7\ndata: a\n\ndata: b\n\n', ['message|a', 'message|b'], '7'],
  ['an id of an event that was never finished', 'id: 7\ndata: a\n\nid: 8\ndata: b\n', ['message|a'], '7'],
  ['an empty id, which forgets', 'id: 7\ndata: a\n\nid\ndata: b\n\n', ['message|a', 'message|b'], ''],
  ['an id with NUL', 'id: 7\n\nid: a\0b\n\n', [], '7'],
  ['an id with an escape', 'id: 7\n\nid: a\u001b[0mb\n\n', [], '7'],
  ['an id that would be two headers', 'id: 7\r\nX-Evil: 1\r\n\r\n', [], '7'],
  ['an id beyond ASCII, byte for byte', 'id: é\n\n', [], 'Ã©'],
  ['an id too long for a header', `id: 7\n\nid: ${'x'.repeat(1025)}\n\n`, [], '7'],
  ['an id just short enough', `id: ${'x'.repeat(1024)}\n\n`, [], 'x'.repeat(1024)],
  ['a time to wait', 'retry: 500\n\n', ['retry 500']],
  ['times that are none', 'retry: 5s\nretry: -1\nretry:\nretry: 1e3\nretry: 0x10\n\n', []],
  ['a time longer than anybody waits', 'retry: 999999999999\n\n', ['retry 3600000']],
])('%s is read alike however it is cut', (_what, text, events, id) => check(text, events, id));

test('half a byte order mark is a field that nobody knows', () => {
  check(Buffer.from([0xef, 0xbb, 0x0a, ...Buffer.from('data: x\n\n')]), ['message|x']);
});

test('an event beyond the limit is skipped and the next one arrives', () => {
  const stream = Buffer.from(`data: ${'x'.repeat(20)}\ndata: more\n\ndata: y\n\n`);
  expect(read([stream], 10).events).toEqual(['overflow', 'message|', 'message|y']);
  expect(read(bytewise(stream), 10).events).toEqual(['overflow', `message|${'x'.repeat(10)}`, 'message|y']);
});

test('empty data lines count against the limit, too', () => {
  expect(read([Buffer.from(`${'data\n'.repeat(100)}\n`)], 10).events[0]).toBe('overflow');
});

test('an event of a hundred thousand lines is one, and of more is none', () => {
  const lines = Buffer.from('data: x\n'.repeat(100_000));
  const end = Buffer.from('\ndata: y\n\n');
  expect(read([lines, end], 10_000_000).events.map((event) => event.length)).toEqual([8 + 199_999, 9]);
  const { events } = read([lines, Buffer.from('data: x\n'), end], 10_000_000);
  expect([events[0], events[2]]).toEqual(['overflow', 'message|y']);
});

test('a paused parser tells nothing, keeps the rest, and goes on where it was', () => {
  const stream = Buffer.from('data: a\r\ndata: b\r\n\r\ndata: c\n\nid: 9\ndata: d\r\rdata: e\n\n');
  const seen: string[] = [];
  const parser = new SseParser(
    {
      data(bytes) {
        seen.push(bytes.toString());
        parser.pause();
      },
      event(name) {
        seen.push(name);
        parser.pause();
      },
      retry: () => {},
      overflow: () => {},
    },
    { eventLimit: 100 },
  );
  parser.push(stream);
  expect(seen).toEqual(['a']);
  const steps: number[] = [];
  while (parser.isPaused) {
    parser.resume();
    steps.push(seen.length);
  }
  expect(seen).toEqual(['a', '\n', 'b', 'message', 'c', 'message', 'd', 'message', 'e', 'message']);
  expect(steps).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 10]);
  expect(parser.lastEventId).toBe('9');
});

test('a stream that is resumed starts from the id it was left at', () => {
  const quiet = { data: () => {}, event: () => {}, retry: () => {}, overflow: () => {} };
  const parser = new SseParser(quiet, { eventLimit: 100, lastEventId: '41' });
  parser.push(Buffer.from('data: x\n\n'));
  expect(parser.lastEventId).toBe('41');
});

test('data is handed on in place, not copied', () => {
  const chunk = Buffer.from('data: abc\n\n');
  const pieces: Buffer[] = [];
  const sink = {
    data: (bytes: Buffer) => void pieces.push(bytes),
    event: () => {},
    retry: () => {},
    overflow: () => {},
  };
  new SseParser(sink, { eventLimit: 100 }).push(chunk);
  expect(pieces.map(({ buffer, byteOffset }) => buffer === chunk.buffer && byteOffset - chunk.byteOffset)).toEqual([6]);
});

test('chunks never change what a stream of such fields says', () => {
  const line = fc.oneof(
    fc.constantFrom('data', 'data:', ':', 'id', 'event: e', 'retry: 1', '', ' data: x', 'dataa: x', 'data : x'),
    fc.string({ maxLength: 8 }).map((text) => `data: ${text}`),
    fc.string({ maxLength: 8 }).map((text) => `id: ${text}`),
  );
  const stream = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')))
    .map((lines) => Buffer.from(lines.flat().join('')));
  fc.assert(
    fc.property(stream, fc.array(fc.nat({ max: 20 })), (bytes, sizes) => {
      const chunks: Buffer[] = [];
      let at = 0;
      for (const size of sizes) chunks.push(bytes.subarray(at, (at += size)));
      chunks.push(bytes.subarray(at));
      expect(read(chunks)).toEqual(read([bytes]));
    }),
  );
});
