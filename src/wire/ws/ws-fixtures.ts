import type { Writable } from 'node:stream';
import * as ws from 'ws';

/** The frame reader and writer of the package `ws`, which has no types for them: the oracle for ours. */
const { Receiver, Sender } = ws as unknown as {
  readonly Receiver: new (options: { readonly isServer: boolean; readonly skipUTF8Validation?: boolean }) => Writable;
  readonly Sender: { frame(data: Buffer, options: object): Buffer[] };
};

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface TestFrame {
  readonly opcode: keyof typeof opcodes;
  readonly payload: Buffer;
  readonly isFinal: boolean;
}

export function serverFrame(
  opcode: TestFrame['opcode'],
  payload: string | Buffer = '',
  isFinal = true,
  { mask = false } = {},
): Buffer {
  return Buffer.concat(
    Sender.frame(Buffer.from(payload), { opcode: opcodes[opcode], fin: isFinal, mask, readOnly: true, rsv1: false }),
  );
}

/** A text message in one frame. */
export function textFrame(message: unknown): Buffer {
  return serverFrame('text', typeof message === 'string' ? message : JSON.stringify(message));
}

/** A message with one frame per piece. */
export function fragments(...pieces: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    pieces.map((piece, index) =>
      serverFrame(index === 0 ? 'text' : 'continuation', piece, index === pieces.length - 1),
    ),
  );
}

/** What `ws` reads from the bytes, one line per event. `isServer`: the bytes come from a client. */
export async function readWithOracle(bytes: Buffer, { isServer }: { readonly isServer: boolean }): Promise<string[]> {
  const receiver = new Receiver({ isServer, skipUTF8Validation: true });
  const seen: string[] = [];
  receiver.on('message', (data: Buffer) => seen.push(`message ${data.toString('hex')}`));
  receiver.on('ping', (data: Buffer) => seen.push(`ping ${data.toString('hex')}`));
  receiver.on('pong', (data: Buffer) => seen.push(`pong ${data.toString('hex')}`));
  receiver.on('conclude', (code: number, reason: Buffer) => seen.push(`closing ${code} ${reason.toString('hex')}`));
  await new Promise<void>((resolve) => {
    receiver.on('error', () => {
      seen.push('fault');
      resolve();
    });
    receiver.write(bytes, () => resolve());
  });
  return seen;
}
