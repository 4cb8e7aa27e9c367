import { gateText, TRUNCATION_MARK } from '../../model/text/text-gate.js';

/**
 * The first 8 KB and the last 64 KB that a server wrote to stderr: what a person wants to see once it has failed. Causes often stand
 * first, with pages of what follows from them behind.
 */
export class StderrRing {
  /** Made with the first byte, because most servers say nothing. */
  #bytes: Buffer | undefined;
  /** How it began, once the ring holds that no longer. */
  #head: Buffer | undefined;
  /** Bytes ever seen; the next one goes to this place, modulo the size. */
  #seen = 0;

  push(chunk: Uint8Array): void {
    const bytes = (this.#bytes ??= Buffer.allocUnsafeSlow(RING_BYTES));
    if (this.#head === undefined && this.#seen + chunk.length > RING_BYTES) this.#head = this.#headWith(bytes, chunk);
    const kept = chunk.length > RING_BYTES ? chunk.subarray(-RING_BYTES) : chunk;
    const start = (this.#seen + chunk.length - kept.length) % RING_BYTES;
    const first = Math.min(kept.length, RING_BYTES - start);
    bytes.set(kept.subarray(0, first), start);
    bytes.set(kept.subarray(first), 0);
    this.#seen += chunk.length;
  }

  /** The first 10 lines and the last 30, fit to be shown: at most 8 KB, what was left out between them marked. */
  excerpt(): string {
    if (this.#seen === 0) return '';
    const head = this.#head;
    const lines = toLines(decodeTail(this.#content()));
    if (!head && lines.length <= FIRST_LINES + LAST_LINES && sizeOf(lines) <= TEXT_BYTES) return lines.join('\n');
    // The last line of what was kept of the beginning goes on somewhere else.
    const first = takeFirst(head ? toLines(head.toString('utf8')).slice(0, -1) : lines);
    const rest = head ? lines : lines.slice(first.length);
    const last = takeLast(rest);
    // One line alone may be more than there is room for: a dump, or a server that never ends its lines.
    if (last.length === 0) last.push(gateText(decodeTail(Buffer.from(rest.at(-1) ?? '').subarray(-TAIL_BYTES))).text);
    const isCut = head !== undefined || last.length < rest.length || sizeOf(rest) > TAIL_BYTES;
    return [...first, ...(isCut ? [TRUNCATION_MARK] : []), ...last].join('\n');
  }

  /** The ring is about to lose the beginning. */
  #headWith(bytes: Buffer, chunk: Uint8Array): Buffer {
    const known = bytes.subarray(0, Math.min(this.#seen, HEAD_KEPT));
    return Buffer.concat([known, chunk.subarray(0, HEAD_KEPT - known.length)]);
  }

  #content(): Uint8Array {
    if (this.#bytes === undefined) return Buffer.alloc(0);
    if (this.#seen <= RING_BYTES) return this.#bytes.subarray(0, this.#seen);
    const start = this.#seen % RING_BYTES;
    return Buffer.concat([this.#bytes.subarray(start), this.#bytes.subarray(0, start)]);
  }
}

function toLines(text: string): readonly string[] {
  return gateText(text).text.trimEnd().split('\n');
}

function takeFirst(lines: readonly string[]): readonly string[] {
  let count = 0;
  let room = HEAD_BYTES;
  for (const line of lines.slice(0, FIRST_LINES)) {
    room -= Buffer.byteLength(line) + 1;
    if (room < 0) break;
    count++;
  }
  return lines.slice(0, count);
}

function takeLast(lines: readonly string[]): string[] {
  let from = lines.length;
  let room = TAIL_BYTES;
  while (from > 0 && lines.length - from < LAST_LINES) {
    room -= Buffer.byteLength(lines[from - 1]!) + 1;
    if (room < 0) break;
    from--;
  }
  return lines.slice(from);
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}

const RING_BYTES = 65_536;
const HEAD_KEPT = 8_192;
const FIRST_LINES = 10;
const LAST_LINES = 30;
const HEAD_BYTES = 2_560;
const TAIL_BYTES = 5_568;
const TEXT_BYTES = HEAD_BYTES + TAIL_BYTES; // 8 KB with the mark, and with what the gate puts in place of a broken character

/** Text from bytes that may begin in the middle of a character. */
function decodeTail(bytes: Uint8Array): string {
  let start = 0;
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.length - start).toString('utf8');
}
