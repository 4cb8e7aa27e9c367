import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../test/any-character.js';
import { MemorySpill } from '../../test/memory-spill.js';
import { type Received, type Listening, notingReceiver } from '../../test/recording-receiver.js';
import { systemClock } from '../edge/clock.js';
import { LineReader } from './line-reader.js';
import { countTurns } from '../../test/computed.js';

interface Scene extends Received {
  givenUp: string | undefined;
  pauses: number;
  /** Pushes bytes as a stream does: not while paused. Resolves when all are processed. */
  readonly feed: (chunks: Iterable<Buffer>) => Promise<void>;
}

function scene(listening: Listening = {}): Scene {
  const flow = { isPaused: false };
  const { receiver, ...received } = notingReceiver(listening);
  const reader = new LineReader({
    clock: systemClock,
    receiver,
    pause: () => {
      flow.isPaused = true;
      found.pauses++;
    },
    resume: () => void (flow.isPaused = false),
    giveUp: (reason) => void (found.givenUp = reason),
  });
  const found: Scene = {
    ...received,
    givenUp: undefined,
    pauses: 0,
    async feed(chunks) {
      for (const chunk of chunks) {
        reader.push(chunk);
        while (flow.isPaused && found.givenUp === undefined) await new Promise((resolve) => setImmediate(resolve));
        if (found.givenUp !== undefined) return;
      }
    },
  };
  return found;
}

const lines = (...texts: readonly string[]): Buffer[] => [Buffer.from(texts.map((text) => `${text}\n`).join(''))];

describe('a line', () => {
  test.each([
    ['CRLF at its end', ['{"a":1}\r'], [{ a: 1 }]],
    ['a BOM before it', ['\uFEFF{"a":1}'], [{ a: 1 }]],
    ['blanks before it', ['  {"a":1}'], [{ a: 1 }]],
    ['a line separator inside a string', ['{"a":"\u2028"}'], [{ a: '\u2028' }]],
    ['nothing', ['', '{"a":1}', ''], [{ a: 1 }]],
    ['a batch', ['[{"a":1}]'], [[{ a: 1 }]]],
  ])('with %s is read', async (_, texts, messages) => {
    const found = scene();
    await found.feed(lines(...texts));
    expect(found.messages).toEqual(messages);
    expect(found.refusals).toEqual([]);
  });

  test('arrives whole, wherever its bytes are cut', async () => {
    const messages = [{ text: 'é😀"\\\n' }, { id: 2, deep: [[['x']]] }, { long: 'y'.repeat(500) }];
    const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    for (let cut = 1; cut < bytes.length; cut++) {
      const found = scene();
      await found.feed([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(found.messages, `cut at ${cut}`).toEqual(messages);
    }
  });

  test('one byte at a time arrives, too', async () => {
    const found = scene();
    await found.feed(Array.from(Buffer.from('{"a":"é"}\nnoise\n{"b":2}\n'), (byte) => Buffer.from([byte])));
    expect(found.messages).toEqual([{ a: 'é' }, { b: 2 }]);
    expect(found.notes).toEqual([{ kind: 'noise', text: 'noise' }]);
  });

  test('that is noise is shown, cleaned, and skipped', async () => {
    const found = scene({
      asked: (message) => typeof message === 'object' && message !== null && 'jsonrpc' in message,
    });
    await found.feed(
      lines('Debug: \u001B[31mloading', '{"level":"info"}', '42', 'null', '{"jsonrpc":"2.0","id":1}', '{broken'),
    );
    expect(found.notes.map(({ text }) => text)).toEqual([
      'Debug: loading',
      '{"level":"info"}',
      '42',
      'null',
      '{broken',
    ]);
    expect(found.messages).toContainEqual({ jsonrpc: '2.0', id: 1 });
    expect(found.givenUp).toBeUndefined();
  });

  test('of pretty-printed JSON is told as what it is', async () => {
    const found = scene();
    await found.feed(lines(...JSON.stringify({ jsonrpc: '2.0', id: 77, result: {} }, null, 2).split('\n')));
    expect(found.refusals).toContainEqual(expect.objectContaining({ ids: [77], code: 'bad-answer' }));
    expect(found.refusals.map(({ reason }) => reason).join()).toContain('several lines');
  });

  test('half of which came before the end is no message', async () => {
    const found = scene();
    await found.feed([Buffer.from('{"a":1}\n{"b":')]);
    expect(found.messages).toEqual([{ a: 1 }]);
  });
});

describe('a server that never stops', () => {
  test('with noise is shown 200 lines of it and ended after 16 MB', async () => {
    const found = scene();
    const chunk = Buffer.from(`${'n'.repeat(999)}\n`.repeat(64));
    await found.feed(Array.from({ length: 300 }, () => chunk));
    expect(found.notes).toHaveLength(200);
    expect(found.givenUp).toContain('16 MB');
  });

  test('within one line that is no message is ended after 16 MB', async () => {
    const found = scene();
    const chunk = Buffer.alloc(65_536, 'x');
    await found.feed(Array.from({ length: 1_000 }, () => chunk));
    expect(found.givenUp).toContain('16 MB');
  });

  test('with notes waits for the others between them', async () => {
    const found = scene({ asked: () => false });
    const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n';
    using turns = countTurns();
    await found.feed(Array.from({ length: 20 }, () => Buffer.from(note.repeat(500))));
    expect(found.messages).toHaveLength(10_000);
    expect(found.pauses).toBeGreaterThanOrEqual(49);
    expect(turns.count).toBeGreaterThan(20);
  });

  test('with notes larger than a piece waits for the others between them', async () => {
    const found = scene({ asked: () => false });
    const note = Buffer.from(`{"jsonrpc":"2.0","method":"x","params":{"data":"${'x'.repeat(300_000)}"}}\n`);
    const bytes = Buffer.concat(Array.from({ length: 20 }, () => note));
    const chunks = [];
    for (let at = 0; at < bytes.length; at += 65_536) chunks.push(bytes.subarray(at, at + 65_536));
    await found.feed(chunks);
    expect(found.messages).toHaveLength(20);
    expect(found.pauses).toBeGreaterThanOrEqual(19);
  });

  test('logging between its answers is never ended for it', async () => {
    const found = scene({
      asked: (message) => typeof message === 'object' && message !== null && 'jsonrpc' in message,
    });
    const chunk = Buffer.from(`${`${'n'.repeat(999)}\n`.repeat(60)}{"jsonrpc":"2.0","id":1,"result":{}}\n`);
    await found.feed(Array.from({ length: 500 }, () => chunk));
    expect(found.givenUp).toBeUndefined();
    expect(found.messages).toHaveLength(500);
  });

  test('answering what was asked is never made to wait', async () => {
    const found = scene();
    await found.feed(
      Array.from({ length: 20 }, () => Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}\n'.repeat(500))),
    );
    expect(found.messages).toHaveLength(10_000);
    expect(found.pauses).toBe(0);
  });
});

describe('a large line', () => {
  test('is followed by its neighbours in their order', async () => {
    const big = JSON.stringify({ jsonrpc: '2.0', id: 2, result: { text: 'z\n'.repeat(2_500_000) } });
    const bytes = Buffer.from(`{"id":1}\n${big}\n{"id":3}\n{"id":4}`);
    const found = scene();
    const chunks = [];
    for (let at = 0; at < bytes.length; at += 65_536) chunks.push(bytes.subarray(at, at + 65_536));
    await found.feed([...chunks, Buffer.from('\n')]);
    expect(found.messages.map((message) => (message as { id: number }).id)).toEqual([1, 2, 3, 4]);
  });

  test('of 20 MB that nobody can take is refused, and the next one is read', async () => {
    const found = scene();
    const big = Buffer.from(`{"result":{"text":"${'z'.repeat(20_000_000)}"},"jsonrpc":"2.0","id":2}\n{"id":3}\n`);
    await found.feed([big]);
    expect(found.refusals).toMatchObject([{ code: 'answer-too-large', ids: [2] }]);
    expect(found.messages).toEqual([{ id: 3 }]);
    expect(found.givenUp).toBeUndefined();
  });

  test('of 20 MB goes to the disk of whoever asked', async () => {
    const spill = new MemorySpill();
    const found = scene({ spill });
    await found.feed([Buffer.from(`{"result":{"text":"${'z'.repeat(20_000_000)}"},"jsonrpc":"2.0","id":2}\n`)]);
    expect(found.messages).toMatchObject([{ id: 2, result: { text: { kind: 'text', bytes: 20_000_000 } } }]);
  });
});

test('whatever bytes come, every message among them arrives, once and in order', async () => {
  const runs = process.env['PLUGBOARD_FULL'] ? 20_000 : 300;
  const junk = fc.oneof(
    fc.string({ unit: anyCharacter }).map((text) => Buffer.from(text.replaceAll(/[\r\n]/gu, ' '))),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 0x0a))),
    fc.json().map((text) => Buffer.from(text.slice(0, -1))),
    fc.constantFrom('{', '[', '"', '{"id":', '[[[[', '\u0000', '}').map((text) => Buffer.from(text)),
  );
  const line = fc.oneof(
    { weight: 3, arbitrary: fc.record({ id: fc.nat(), result: fc.jsonValue() }).map((value) => ({ value })) },
    { weight: 1, arbitrary: junk.map((bytes) => ({ bytes })) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 50 }),
      fc.array(fc.nat({ max: 300 }), { minLength: 1 }),
      async (all, steps) => {
        const found = scene();
        const stamped = all.map((one, index) => ('value' in one ? { value: { ...one.value, stamp: index } } : one));
        const bytes = Buffer.concat(
          stamped.flatMap((one) => [
            'value' in one ? Buffer.from(JSON.stringify(one.value)) : one.bytes,
            Buffer.from('\n'),
          ]),
        );
        const chunks = [];
        for (let at = 0, step = 0; at < bytes.length; step++) {
          const length = steps[step % steps.length]! + 1;
          chunks.push(bytes.subarray(at, at + length));
          at += length;
        }
        await found.feed(chunks);
        const real = found.messages.filter(
          (message) => typeof message === 'object' && message !== null && 'stamp' in message,
        );
        expect(JSON.stringify(real)).toBe(
          JSON.stringify(stamped.flatMap((one) => ('value' in one ? [one.value] : []))),
        );
      },
    ),
    { numRuns: runs },
  );
});
