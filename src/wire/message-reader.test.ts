import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../edge/clock.js';
import type { Clock } from '../model/clock.js';
import { MemorySpill } from '../../test/memory-spill.js';
import { JsonStream } from './json/json-stream.js';
import { type ReadOutcome, MessageReader, parseMessage } from './message-reader.js';
import { Spilled } from '../model/spilled.js';
import { countTurns } from '../../test/computed.js';

const FULL = process.env['PLUGBOARD_FULL'] !== undefined;
const runs = FULL ? 200_000 : 700;

/** Parses the text with a JsonStream, in chunks cut at these fractions of its length. */
function streamed(text: string | Buffer, cuts: readonly number[] = []): JsonStream {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const stream = new JsonStream({ route: () => 'build', openPart: () => new MemorySpill().open() });
  let from = 0;
  for (const cut of cuts.map((share) => Math.floor(share * bytes.length)).toSorted((a, b) => a - b)) {
    void stream.push(bytes.subarray(from, cut));
    from = cut;
  }
  void stream.push(bytes.subarray(from));
  stream.end();
  return stream;
}

const cutsOf = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

describe('a message that is parsed in pieces', () => {
  test('means what JSON.parse says it means, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), cutsOf, (text, cuts) => {
        const stream = streamed(text, cuts);
        expect(stream.broken).toBeUndefined();
        expect(JSON.stringify(stream.value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: runs },
    );
  });

  test('keeps every escape and character whole, cut at every single byte', () => {
    const value = { a: 'é\u0000\\"\n\t😀\ud83d x', '😀': ['\\\\', '\\"', '\u2028', ''], n: [-1.5e-7, 0, true, null] };
    const escaped = JSON.stringify(value).replaceAll('😀', '\\ud83d\\ude00');
    for (const text of [JSON.stringify(value), escaped]) {
      const bytes = Buffer.from(text);
      for (let cut = 0; cut <= bytes.length; cut++) {
        const stream = new JsonStream({ route: () => 'build', openPart: () => new MemorySpill().open() });
        void stream.push(bytes.subarray(0, cut));
        void stream.push(bytes.subarray(cut));
        stream.end();
        expect(JSON.stringify(stream.value), `cut at ${cut}`).toBe(JSON.stringify(JSON.parse(text)));
      }
    }
  });

  test('is refused exactly when JSON.parse refuses it', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '\\', '{', '}', ',', ':', 'x', '1', '\u0000', ']'))
      .map(([text, at, by]) => text.slice(0, at % (text.length + 1)) + by + text.slice((at % (text.length + 1)) + 1));
    fc.assert(
      fc.property(broken, cutsOf, (text, cuts) => {
        let expected: string | undefined;
        try {
          expected = JSON.stringify(JSON.parse(text));
        } catch {
          expected = undefined;
        }
        const stream = streamed(text, cuts);
        // Raw control characters inside a long string are accepted: the text gate removes them where they matter.
        if (Array.from(text).some((character) => character < ' ')) return;
        expect(stream.broken === undefined ? JSON.stringify(stream.value) : undefined).toBe(expected);
      }),
      { numRuns: runs },
    );
  });

  test.each([
    ['a key named __proto__ stays a plain key', '{"__proto__":{"x":1},"a":2}'],
    ['the last of two equal keys wins', '{"a":1,"a":2}'],
    ['blanks are no content', ' \r\n\t[ 1 , { "a" : "b" } ] '],
  ])('%s', (_, text) => {
    const { value } = streamed(text);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

/** Reads one message in chunks of 64 KB. */
async function read(bytes: Buffer, store?: MemorySpill, ids: readonly (number | string)[] = [7]): Promise<ReadOutcome> {
  const reader = new MessageReader({
    clock: systemClock,
    spillFor: (id) => (id === undefined || ids.includes(id) ? store : undefined),
  });
  for (let at = 0; at < bytes.length; at += 65_536) await reader.push(bytes.subarray(at, at + 65_536));
  return reader.end();
}

const long = (bytes: number): string => 'line "one" \\ é 😀\n'.repeat(Math.ceil(bytes / 22));

describe('a large answer', () => {
  test.each([5_000_000, 12_000_000])('of %i bytes is delivered whole', async (size) => {
    const message = { jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text: long(size) }] } };
    const intake = await read(Buffer.from(JSON.stringify(message)));
    expect(intake.kind === 'message' && intake.message).toEqual(message);
  });

  test.each([true, false])(
    'of 20 MB goes to the disk when its call has a place for it (id first: %s)',
    async (first) => {
      const text = long(20_000_000);
      const result = {
        content: [
          { type: 'text', text: 'short' },
          { type: 'text', text },
        ],
        isError: false,
      };
      const message = first ? { jsonrpc: '2.0', id: 7, result } : { result, jsonrpc: '2.0', id: 7 };
      const store = new MemorySpill();
      const intake = await read(Buffer.from(JSON.stringify(message)), store);
      if (intake.kind !== 'message') throw new Error(intake.refusal.reason);
      const { content, isError } = (intake.message as { result: { content: { text: unknown }[]; isError: boolean } })
        .result;
      expect(isError).toBe(false);
      expect(content[0]).toEqual({ type: 'text', text: 'short' });
      const spilled = content[1]!.text as Spilled;
      expect(spilled).toBeInstanceOf(Spilled);
      expect(spilled.preview).toBe(text.slice(0, 2048));
      expect(store.textOf(spilled.place) === text).toBe(true);
      expect(spilled.bytes).toBe(Buffer.byteLength(text));
    },
  );

  test('keeps its structured content as JSON when that is large, and as values when it is small', async () => {
    const rows = Array.from({ length: 400_000 }, (_, index) => ({ index, name: `row ${index} of many "rows"` }));
    const store = new MemorySpill();
    const large = { result: { content: [], structuredContent: { rows } }, jsonrpc: '2.0', id: 7 };
    const intake = await read(Buffer.from(JSON.stringify(large)), store);
    const spilled = (intake as { message: { result: { structuredContent: Spilled } } }).message.result
      .structuredContent;
    expect(spilled.kind).toBe('json');
    expect(store.textOf(spilled.place) === JSON.stringify({ rows })).toBe(true);
    const small = { result: { structuredContent: { n: 1 }, content: [{ text: long(17_000_000) }] }, id: 7 };
    const second = await read(Buffer.from(JSON.stringify(small)), new MemorySpill());
    expect((second as { message: typeof small }).message.result.structuredContent).toEqual({ n: 1 });
  });

  test('without a place for it is refused under its own id, wherever that stands', async () => {
    const text = long(17_000_000);
    const first = { id: 7, result: { text } };
    const twofold = { id: 7, error: { message: 'x' }, result: [text] };
    // Each takes a second; an id at the end is the hardest to find.
    for (const message of [{ result: { text }, id: 7 }, ...(FULL ? [first, twofold] : [])]) {
      const intake = await read(Buffer.from(JSON.stringify(message)));
      expect(intake).toMatchObject({ kind: 'refused', refusal: { code: 'answer-too-large', ids: [7] } });
    }
  });

  test('leaves the event loop a turn after every few milliseconds', async () => {
    let now = 0;
    const clock: Clock = { ...systemClock, monotonic: () => (now += 3) };
    const reader = new MessageReader({ clock, spillFor: () => undefined });
    await reader.push(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":[[]${',[]'.repeat(6_000_000)}`));
    const waits = Array.from({ length: 9 }, () => reader.push(Buffer.from(',[]')) !== undefined);
    expect(waits).toEqual([false, false, true, false, false, true, false, false, true]);
  });

  test.each([1_000, 5_000_000, 17_000_000])(
    'may begin with a byte order mark that comes byte by byte, also with %i letters behind it',
    async (letters) => {
      const store = new MemorySpill();
      const reader = new MessageReader({ clock: systemClock, spillFor: () => store });
      const bytes = Buffer.from(`\uFEFF{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(letters)}"}}`);
      for (let at = 0; at < 5; at++) await reader.push(bytes.subarray(at, at + 1));
      await reader.push(bytes.subarray(5));
      expect(await reader.end()).toMatchObject({ kind: 'message', message: { id: 1 } });
    },
  );

  test('that turns out to belong to a call without a place is refused, and nothing of it is kept', async () => {
    const store = new MemorySpill();
    const message = { result: { text: long(17_000_000) }, id: 8 };
    const intake = await read(Buffer.from(JSON.stringify(message)), store, [7]);
    expect(intake).toMatchObject({ kind: 'refused', refusal: { ids: [8] } });
    expect(store.parts.map(({ state }) => state)).toEqual(['discarded']);
  });
});

const deep = (depth: number): string =>
  `{"jsonrpc":"2.0","result":{"x":${'['.repeat(depth)}${']'.repeat(depth)}},"id":7}`;

describe('a message beyond bounds', () => {
  test.each([600, 100_000, 4_000_000])('%i levels deep is refused under its id', async (depth) => {
    const intake = await read(Buffer.from(deep(depth)));
    expect(intake).toMatchObject({ kind: 'refused', refusal: { code: 'answer-too-large', ids: [7] } });
    expect(intake.kind === 'refused' && intake.refusal.reason).toContain('512 levels');
  });

  test('500 levels deep is delivered', async () => {
    expect(await read(Buffer.from(deep(500)))).toMatchObject({ kind: 'message' });
  });

  test('with more than a million values is refused under its id', async () => {
    const text = `{"result":[${'[],'.repeat(1_100_000)}1],"id":7}`;
    expect(await read(Buffer.from(text))).toMatchObject({ kind: 'refused', refusal: { ids: [7] } });
  });

  test('with 300,000 values is delivered, in several turns of the event loop', async () => {
    const value = { id: 7, result: Array.from({ length: 300_000 }, (_, index) => [index]) };
    using turns = countTurns();
    const intake = await read(Buffer.from(JSON.stringify(value)));
    expect((intake as { message: typeof value }).message.result).toHaveLength(300_000);
    expect(turns.count).toBeGreaterThan(2);
  });
});

describe('a message that is no JSON', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":1234567,"result":{"content":[{"type":"te', [1_234_567], true],
    ['{"result":{"content":[{"type":"te', [], true],
    ['Debug: {"id": 12}', [12], false],
    ['{', [], false],
  ])('%s: ids %j, an answer: %s', (text, ids, isAnswer) => {
    const intake = parseMessage(Buffer.from(text), systemClock);
    expect(intake).toMatchObject({ kind: 'refused', refusal: { code: 'bad-answer', ids, isAnswer } });
  });

  test('does not repeat what the server sent', async () => {
    const intake = await parseMessage(Buffer.from('{"secret-word": oops}'), systemClock);
    expect(intake.kind === 'refused' && intake.refusal.reason).not.toMatch(/secret|oops/u);
  });

  test('invalid UTF-8 is replaced, and said to be', async () => {
    const bytes = Buffer.from([0x22, 0x61, 0xff, 0xfe, 0xc0, 0x80, 0x22]);
    expect(await parseMessage(bytes, systemClock)).toMatchObject({ kind: 'message', replaced: true });
  });
});
