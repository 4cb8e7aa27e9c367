import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemorySpill } from '../../../test/memory-spill.js';
import { type Received, type Listening, notingReceiver } from '../../../test/recording-receiver.js';
import { systemClock } from '../../edge/clock.js';
import { Spilled } from '../../model/spilled.js';
import { fragments, serverFrame, textFrame } from './ws-fixtures.js';
import { WsReader } from './ws-reader.js';

interface Scene extends Received {
  readonly pings: string[];
  /** Why the connection ended. */
  end: string | undefined;
  pauses: number;
  /** Pushes bytes as a socket does: not while paused. Resolves when all are processed. */
  readonly feed: (...chunks: readonly Buffer[]) => Promise<void>;
}

function scene(listening: Listening = {}): Scene {
  const flow = { isPaused: false };
  const { receiver, ...received } = notingReceiver(listening);
  const reader = new WsReader({
    clock: systemClock,
    receiver,
    pause: () => {
      flow.isPaused = true;
      found.pauses++;
    },
    resume: () => void (flow.isPaused = false),
    ping: (payload) => void found.pings.push(payload.toString()),
    closing: ({ code, reason }) => void (found.end = `closing ${code ?? 'without a code'} ${reason.toString()}`),
    giveUp: ({ code, reason }) => void (found.end = `${code}: ${reason}`),
  });
  const found: Scene = {
    ...received,
    pings: [],
    end: undefined,
    pauses: 0,
    async feed(...chunks) {
      for (const chunk of chunks) {
        for (let at = 0; at < chunk.length; at += SOCKET_READ) {
          reader.push(chunk.subarray(at, at + SOCKET_READ));
          while (flow.isPaused && found.end === undefined) await new Promise((resolve) => setImmediate(resolve));
          if (found.end !== undefined) return;
        }
      }
    },
  };
  return found;
}

const SOCKET_READ = 65_536;
const answer = (id: number, result: unknown = {}): object => ({ jsonrpc: '2.0', id, result });
const answerOf = (id: number, bytes: number): string => JSON.stringify(answer(id, { text: 'x'.repeat(bytes) }));

describe('a message', () => {
  test.each([
    ['in one frame', [textFrame('{"a":1}')], [{ a: 1 }]],
    ['with a BOM before it', [textFrame('\uFEFF{"a":1}')], [{ a: 1 }]],
    ['with blanks around it', [textFrame(' \r\n{"a":1}\n')], [{ a: 1 }]],
    ['pretty-printed', [textFrame('{\n  "a": 1\n}')], [{ a: 1 }]],
    ['in fragments', [fragments('{"a"', '', ':', '1}')], [{ a: 1 }]],
    [
      'in fragments with a BOM',
      [fragments(Buffer.from([0xef, 0xbb]), Buffer.from([0xbf, 0x7b]), '"a":1}')],
      [{ a: 1 }],
    ],
    [
      'with a character cut in two',
      [fragments('{"a":"', Buffer.from([0xc3]), Buffer.from([0xa9]), '"}')],
      [{ a: 'é' }],
    ],
    ['that is a batch', [textFrame('[{"a":1}]')], [[{ a: 1 }]]],
    ['of nothing, before one', [textFrame(''), textFrame('{"a":1}')], [{ a: 1 }]],
    [
      'with pings inside',
      [serverFrame('text', '{"a"', false), serverFrame('ping', 'p'), serverFrame('continuation', ':1}')],
      [{ a: 1 }],
    ],
  ])('%s is read', async (_, frames, messages) => {
    const found = scene();
    await found.feed(Buffer.concat(frames));
    expect(found.messages).toEqual(messages);
    expect(found.refusals).toEqual([]);
    expect(found.notes).toEqual([]);
  });

  test('arrives whole and in its order, however it is framed and cut', async () => {
    const message = fc.record({ text: fc.string({ unit: 'grapheme', maxLength: 40 }), list: fc.array(fc.integer()) });
    const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 5 }), cuts, cuts, async (messages, inFrames, inChunks) => {
        const frames = messages.map((one) => fragments(...split(Buffer.from(JSON.stringify(one)), inFrames)));
        const found = scene();
        await found.feed(...split(Buffer.concat(frames), inChunks));
        expect(found.messages).toEqual(messages);
      }),
      { numRuns: 200 },
    );
  });

  test('whose bytes are no UTF-8 is taken, and noted', async () => {
    const bytes = Buffer.from('{"a":"?","b":"é"}');
    bytes[6] = 0xff;
    const found = scene();
    await found.feed(serverFrame('text', bytes), fragments(bytes.subarray(0, 9), bytes.subarray(9)));
    expect(found.messages).toEqual([
      { a: '\uFFFD', b: 'é' },
      { a: '\uFFFD', b: 'é' },
    ]);
    expect(found.notes.map(({ kind }) => kind)).toEqual(['replaced-bytes', 'replaced-bytes']);
  });

  test('that says the replacement character itself is as it should be', async () => {
    const found = scene();
    await found.feed(textFrame('{"a":"\uFFFD"}'));
    expect(found.messages).toEqual([{ a: '\uFFFD' }]);
    expect(found.notes).toEqual([]);
  });

  test('marked as binary is read, and noted once', async () => {
    const found = scene();
    await found.feed(serverFrame('binary', '{"a":1}'), serverFrame('binary', '{"a":2}'));
    expect(found.messages).toEqual([{ a: 1 }, { a: 2 }]);
    expect(found.notes).toEqual([{ kind: 'oddity', text: expect.stringContaining('binary') as string }]);
  });

  test('that is broken fails the call it names, and the next is read', async () => {
    const found = scene();
    await found.feed(textFrame('{"jsonrpc":"2.0","id":77,"result":{'), textFrame('{"a":1}'));
    expect(found.refusals).toEqual([expect.objectContaining({ code: 'bad-answer', ids: [77], isAnswer: true })]);
    expect(found.messages).toEqual([{ a: 1 }]);
  });

  test('that is noise is shown, cleaned, and skipped', async () => {
    const found = scene({ asked: (message) => JSON.stringify(message).includes('jsonrpc') });
    await found.feed(
      ...['Debug: \u001B[31mloading', '{"level":"info"}', '42'].map(textFrame),
      fragments('wel', 'come'),
      textFrame(answer(1)),
    );
    expect(found.notes.map(({ text }) => text)).toEqual(['Debug: loading', '{"level":"info"}', '42', 'welcome']);
    expect(found.messages).toContainEqual(answer(1));
    expect(found.end).toBeUndefined();
  });
});

describe('a large message', () => {
  test('of 5 MB is read in slices', async () => {
    const found = scene();
    await found.feed(textFrame(answerOf(1, 5_000_000)));
    expect(found.messages).toHaveLength(1);
    expect(found.pauses).toBeGreaterThan(0);
  });

  test.each([
    ['one frame', (text: string) => textFrame(text)],
    ['many frames', (text: string) => fragments(...split(Buffer.from(text), [100_000, 7, 3_000]))],
  ])('of 17 MB in %s is skipped to its end, its call fails, and the next answer arrives', async (_, frame) => {
    const found = scene();
    await found.feed(frame(answerOf(5, 17_000_000)), textFrame(answer(6)));
    expect(found.refusals).toEqual([
      { code: 'answer-too-large', reason: 'it has more than 16 MB', ids: [5], isAnswer: true },
    ]);
    expect(found.messages).toEqual([answer(6)]);
    expect(found.end).toBeUndefined();
  });

  test.each([
    [
      'a note of 17 MB',
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { text: 'x'.repeat(17_000_000) } }),
    ],
    [
      'a note of a million values',
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: Array(1_200_000).fill(0) }),
    ],
  ])('that nobody asked for, %s, ends nothing', async (_, text) => {
    const found = scene();
    for (let count = 0; count < 2; count++) await found.feed(textFrame(text));
    await found.feed(textFrame(answer(6)));
    expect(found.refusals).toHaveLength(2);
    expect(found.messages).toEqual([answer(6)]);
    expect(found.end).toBeUndefined();
  });

  test('goes where its call wants it', async () => {
    const spill = new MemorySpill();
    const found = scene({ spill });
    await found.feed(textFrame(answerOf(5, 17_000_000)), textFrame(answer(6)));
    const [large, small] = found.messages as { result: { text?: unknown } }[];
    expect(large!.result.text).toBeInstanceOf(Spilled);
    expect(spill.textOf((large!.result.text as Spilled).place)).toHaveLength(17_000_000);
    expect(small).toEqual(answer(6));
  });

  test('of more than 512 MB is not waited for', async () => {
    const found = scene();
    const header = Buffer.alloc(10);
    header.set([0x81, 127]);
    header.writeBigUInt64BE(600_000_000n, 2);
    await found.feed(header);
    expect(found.end).toBe('1009: it sends a message of more than 512 MB');
  });

  test.each([[[1, 2, 3, 5_000]], [[1, 1_100]], [[1, 70_000, 4, 1_000, 1_000]], [[1_023, 1_024, 1_025, 4_096]]])(
    'in fragments of %j bytes, again and again, keeps its order',
    async (lengths) => {
      const message = answer(1, { list: Array.from({ length: 200_000 }, (_, index) => index) });
      const found = scene();
      await found.feed(fragments(...split(Buffer.from(JSON.stringify(message)), lengths)));
      expect(found.messages).toEqual([message]);
    },
  );

  test('in a million fragments of a byte arrives, a turn at a time', async () => {
    const text = answerOf(1, 1_000_000);
    const found = scene();
    await found.feed(inBytes(text));
    expect(found.messages).toEqual([JSON.parse(text)]);
    expect(found.pauses).toBeGreaterThan(40);
  });
});

describe('a server that says too much', () => {
  const note = textFrame({ jsonrpc: '2.0', method: 'notifications/x' });

  test.each([
    ['notes', note, 'messages'],
    ['pings', serverFrame('ping', 'hello'), 'pings'],
  ] as const)('by itself waits: %s', async (_, frame, what) => {
    const found = scene({ asked: () => false });
    await found.feed(Buffer.concat(Array.from({ length: 2_000 }, () => frame)));
    expect(found[what]).toHaveLength(2_000);
    expect(found.pauses).toBeGreaterThanOrEqual(9);
    expect(found.end).toBeUndefined();
  });

  test.each([
    ['text', Array.from({ length: 17 }, () => textFrame(`x${'y'.repeat(1_000_000)}`))],
    ['one text without an end', [serverFrame('text', 'x'.repeat(17_000_000), false)]],
    ['JSON of something else', Array.from({ length: 17 }, () => textFrame(`{"x":"${'y'.repeat(1_000_000)}"}`))],
  ])('that is of no use is given up: %s', async (_, frames) => {
    const found = scene({ asked: () => false });
    await found.feed(...frames);
    expect(found.end).toBe('1002: it sent more than 16 MB that are no messages of MCP');
    expect(found.notes.length).toBeLessThanOrEqual(200);
  });

  test('that is of no use is forgiven with every answer', async () => {
    const found = scene({ asked: (message) => JSON.stringify(message).includes('jsonrpc') });
    const nonMessage = textFrame(`x${'y'.repeat(1_000_000)}`);
    for (let round = 0; round < 3; round++) {
      await found.feed(...Array.from({ length: 10 }, () => nonMessage), textFrame(answer(round)));
    }
    expect(found.end).toBeUndefined();
    expect(found.messages).toHaveLength(3);
  });
});

test('a farewell is told, and nothing behind it is read', async () => {
  const found = scene();
  await found.feed(
    Buffer.concat([
      textFrame('{"a":1}'),
      serverFrame('close', Buffer.from('\u0003èbye', 'latin1')),
      textFrame('{"a":2}'),
    ]),
  );
  expect(found.messages).toEqual([{ a: 1 }]);
  expect(found.end).toBe('closing 1000 bye');
});

function split(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + lengths[turn % lengths.length]!;
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}

/** A message with one fragment per byte. */
function inBytes(text: string): Buffer {
  const bytes = Buffer.alloc(3 * text.length);
  for (let at = 0; at < text.length; at++) bytes.set([0, 1, text.charCodeAt(at)], 3 * at);
  bytes[0] = 1;
  bytes[bytes.length - 3] = 0x80;
  return bytes;
}
