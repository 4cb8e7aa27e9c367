import { gateText, TRUNCATION_MARK } from '../model/text-gate.js';

/** The last 64 KB that a server wrote to stderr: what a person wants to see once it has failed. */
export class StderrRing {
  /** Made with the first byte, because most servers say nothing. */
  #bytes: Buffer | undefined;
  /** Bytes ever seen; the next one goes to this place, modulo the size. */
  #seen = 0;

  push(chunk: Uint8Array): void {
    this.#bytes ??= Buffer.allocUnsafeSlow(RING_BYTES);
    const kept = chunk.length > RING_BYTES ? chunk.subarray(-RING_BYTES) : chunk;
    const start = (this.#seen + chunk.length - kept.length) % RING_BYTES;
    const first = Math.min(kept.length, RING_BYTES - start);
    this.#bytes.set(kept.subarray(0, first), start);
    this.#bytes.set(kept.subarray(first), 0);
    this.#seen += chunk.length;
  }

  /** The last lines, fit to be shown: at most 20 and 4 KB, what was left off before them marked. */
  lastLines(): string {
    if (this.#seen === 0) return '';
    const lines = gateText(decodeTail(this.#content())).text.trimEnd().split('\n');
    const kept: string[] = [];
    let room = TEXT_BYTES;
    while (lines.length > 0 && kept.length < LINES) {
      const line = lines.at(-1)!;
      const size = Buffer.byteLength(line) + 1;
      if (size > room) break;
      kept.unshift(line);
      lines.pop();
      room -= size;
    }
    // One line alone may be more than there is room for: a dump, or a server that never ends its lines.
    if (kept.length === 0) kept.push(gateText(decodeTail(Buffer.from(lines.at(-1)!).subarray(-TEXT_BYTES))).text);
    const cut = lines.length > 0 || this.#seen > RING_BYTES;
    return (cut ? [TRUNCATION_MARK, ...kept] : kept).join('\n');
  }

  #content(): Uint8Array {
    if (this.#bytes === undefined) return Buffer.alloc(0);
    if (this.#seen <= RING_BYTES) return this.#bytes.subarray(0, this.#seen);
    const start = this.#seen % RING_BYTES;
    return Buffer.concat([this.#bytes.subarray(start), this.#bytes.subarray(0, start)]);
  }
}

const RING_BYTES = 65_536;
const LINES = 20;
const TEXT_BYTES = 4096 - 64; // 4 KB with the mark, and with what the gate puts in place of a broken character

/** Text from bytes that may begin in the middle of a character. */
function decodeTail(bytes: Uint8Array): string {
  let start = 0;
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.length - start).toString('utf8');
}
