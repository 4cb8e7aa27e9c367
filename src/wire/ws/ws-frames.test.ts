import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fragments, readWithOracle, serverFrame, type TestFrame, textFrame } from './ws-fixtures.js';
import { closeFrame, FrameReader, type FrameSink, Masks, pingFrame, pongFrame, textFrames } from './ws-frames.js';

/** Records events in the oracle's format, and pauses when `pauses` says so. */
class Witness implements FrameSink {
  readonly seen: string[] = [];
  reader: FrameReader | undefined;
  isPaused = false;
  readonly #pauses: () => boolean;
  #pieces: Buffer[] = [];

  constructor(pauses: () => boolean) {
    this.#pauses = pauses;
  }

  whole(bytes: Buffer, from: number, to: number): void {
    this.#tell(`message ${bytes.toString('hex', from, to)}`);
  }

  piece(bytes: Buffer, from: number, to: number): void {
    this.#pieces.push(Buffer.from(bytes.subarray(from, to)));
    this.#pause();
  }

  end(): void {
    const message = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#tell(`message ${message.toString('hex')}`);
  }

  binary(): void {}

  ping(payload: Buffer): void {
    this.#tell(`ping ${payload.toString('hex')}`);
  }

  pong(payload: Buffer): void {
    this.#tell(`pong ${payload.toString('hex')}`);
  }

  closing({ code, reason }: { readonly code: number | undefined; readonly reason: Buffer }): void {
    this.#tell(`closing ${code ?? 1005} ${reason.toString('hex')}`);
  }

  fault({ reason, code }: { readonly reason: string; readonly code: number }): void {
    this.#tell(`fault ${code}: ${reason}`);
  }

  #tell(line: string): void {
    this.seen.push(line);
    this.#pause();
  }

  #pause(): void {
    if (this.isPaused) this.seen.push('told while paused');
    if (!this.#pauses()) return;
    this.isPaused = true;
    this.reader!.pause();
  }
}

interface ReadOptions {
  /** The lengths of the chunks, in order. */
  readonly cuts?: readonly number[];
  /** Whether the sink pauses, for each event in order. */
  readonly pauses?: readonly boolean[];
  readonly messageLimit?: number;
}

function read(
  bytes: Buffer,
  { cuts = [bytes.length], pauses = [false], messageLimit = 1e6 }: ReadOptions = {},
): string[] {
  let asked = 0;
  const witness = new Witness(() => pauses[asked++ % pauses.length]!);
  const reader = new FrameReader(witness, { messageLimit });
  witness.reader = reader;
  const goOn = (): void => {
    if (!witness.isPaused) return;
    witness.isPaused = false;
    reader.resume();
  };
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + Math.max(cuts[turn % cuts.length]!, 1);
    reader.push(bytes.subarray(at, end));
    at = end;
    if (turn % 3 === 0) goOn();
  }
  while (witness.isPaused) goOn();
  return witness.seen;
}

/** Fragmented messages with control frames in between, wherever they are allowed. */
const frames: fc.Arbitrary<TestFrame[]> = fc
  .array(
    fc.record({
      opcode: fc.constantFrom('text', 'binary'),
      pieces: fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 4 }),
      between: fc.array(
        fc.record({ opcode: fc.constantFrom('ping', 'pong'), payload: fc.uint8Array({ maxLength: 125 }) }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 5 },
  )
  .map((messages) =>
    messages.flatMap(({ opcode, pieces, between }) =>
      pieces.flatMap((piece, index) => [
        {
          opcode: index === 0 ? (opcode as TestFrame['opcode']) : 'continuation',
          payload: Buffer.from(piece),
          isFinal: index === pieces.length - 1,
        },
        ...between.map((control) => ({
          opcode: control.opcode as TestFrame['opcode'],
          payload: Buffer.from(control.payload),
          isFinal: true,
        })),
      ]),
    ),
  );

describe('frames from a server', () => {
  test('are read as the package ws reads them, however they are cut and wherever reading pauses', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 });
    const pauses = fc.array(fc.boolean(), { minLength: 2, maxLength: 7 }).map((list) => [...list, false]);
    await fc.assert(
      fc.asyncProperty(frames, cuts, pauses, async (list, lengths, stops) => {
        const bytes = Buffer.concat(list.map(({ opcode, payload, isFinal }) => serverFrame(opcode, payload, isFinal)));
        const expected = await readWithOracle(bytes, { isServer: false });
        expect(read(bytes, { cuts: lengths, pauses: stops })).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test('that are no frames at all fault where ws does, and tell what came before', async () => {
    await fc.assert(
      fc.asyncProperty(frames, fc.uint8Array({ minLength: 1, maxLength: 40 }), async (list, junk) => {
        const good = list.map(({ opcode, payload, isFinal }) => serverFrame(opcode, payload, isFinal));
        // Zeros complete the last header: we check it only when complete, ws after two bytes.
        const bytes = Buffer.concat([...good, Buffer.from(junk), Buffer.alloc(10)]);
        const seen = read(bytes, { cuts: [7] });
        const expected = await readWithOracle(bytes, { isServer: false });
        // We report a close frame even with an invalid code, and an excessive length by its limit.
        const lastTold = seen.at(-1) ?? '';
        if (expected.at(-1) === 'fault' && /^closing|^fault 1009/u.test(lastTold)) return;
        expect(seen.map((line) => line.replace(/^fault.*/u, 'fault'))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test.each([125, 126, 65_535, 65_536, 70_000])('of %i bytes are read', (length) => {
    const bytes = Buffer.concat([serverFrame('text', Buffer.alloc(length, 1)), textFrame('x')]);
    for (const cuts of [[bytes.length], [1], [3, 1000]]) {
      expect(read(bytes, { cuts })).toEqual([`message ${'01'.repeat(length)}`, 'message 78']);
    }
  });

  test.each<[what: string, bytes: Buffer, expected: string]>([
    [
      'masked',
      serverFrame('text', 'x', true, { mask: true }),
      'fault 1002: it masks its frames, which only a client does',
    ],
    ['compressed', Buffer.from([0xc1, 1, 0x78]), 'fault 1002: it sets bits of extensions that were not negotiated'],
    ['of no known type', Buffer.from([0x83, 0]), 'fault 1002: it sends frames of the unknown type 3'],
    ['of no known control type', Buffer.from([0x8b, 0]), 'fault 1002: it sends frames of the unknown type 11'],
    ['pings in fragments', serverFrame('ping', '', false), 'fault 1002: it sends a control frame in fragments'],
    ['long pings', serverFrame('ping', Buffer.alloc(126)), 'fault 1002: it sends a control frame of 126 bytes'],
    ['going on with nothing', serverFrame('continuation', 'x'), 'fault 1002: it continues no open message'],
    [
      'a message within another',
      Buffer.concat([serverFrame('text', '', false), textFrame('x')]),
      'fault 1002: it begins a message within another',
    ],
    ['half a close code', serverFrame('close', 'x'), 'fault 1002: it sends half a close code'],
    [
      'longer than any',
      Buffer.from([0x81, 127, 255, 255, 255, 255, 255, 255, 255, 255]),
      'fault 1009: it sends a message of more than 1 MB',
    ],
    [
      'longer than any together',
      fragments(Buffer.alloc(600_000), Buffer.alloc(600_000)),
      'fault 1009: it sends a message of more than 1 MB',
    ],
  ])('%s are refused by name, and nothing behind them is read', (_what, bytes, expected) => {
    expect(read(Buffer.concat([bytes, textFrame('later')])).at(-1)).toBe(expected);
    expect(read(Buffer.concat([bytes, textFrame('later')]), { cuts: [bytes.length > 1_000 ? 997 : 1] }).at(-1)).toBe(
      expected,
    );
  });

  test('a close frame is the last that is read', () => {
    const bytes = Buffer.concat([serverFrame('close', Buffer.from([0x03, 0xe8, 0x68, 0x69])), textFrame('later')]);
    expect(read(bytes)).toEqual([`closing 1000 ${Buffer.from('hi').toString('hex')}`]);
  });
});

describe('frames that we write', () => {
  const masks = new Masks();

  test('are what the package ws reads as the same texts', async () => {
    const text = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes).toString('utf16le'));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 6 }), async (texts) => {
        const expected = texts.map((one) => `message ${Buffer.from(one).toString('hex')}`);
        expect(await readWithOracle(textFrames(texts, masks.next()), { isServer: true })).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  test.each([0, 1, 124, 125, 126, 127, 65_534, 65_535, 65_536, 200_000])('are right at %i bytes', async (length) => {
    const texts = ['a'.repeat(length), `${'a'.repeat(Math.max(length - 2, 0))}ü`, 'x'];
    const expected = texts.map((one) => `message ${Buffer.from(one).toString('hex')}`);
    expect(await readWithOracle(textFrames(texts, masks.next()), { isServer: true })).toEqual(expected);
  });

  test('are masked with a key that changes from write to write', () => {
    const keys = new Set(
      Array.from({ length: 20 }, () => textFrames(['hello'], masks.next()).subarray(2, 6).toString('hex')),
    );
    expect(keys.size).toBe(20);
    expect(textFrames(['hello'], 0x8000_0001).subarray(6).toString()).not.toBe('hello');
  });

  test('of control are read, too', async () => {
    const bytes = Buffer.concat([
      pingFrame(masks.next()),
      pongFrame(Buffer.from('abc'), masks.next()),
      closeFrame(1002, masks.next()),
    ]);
    expect(await readWithOracle(bytes, { isServer: true })).toEqual(['ping ', 'pong 616263', 'closing 1002 ']);
  });
});
