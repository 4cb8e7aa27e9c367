import { gateText, TRUNCATION_MARK } from '../../model/text/text-gate.js';

/**
 * The first 8 KB and the last 64 KB of a server's stderr, to explain its failure. The cause often stands first,
 * followed by pages of consequences.
 */
export class StderrRing {
  /** Allocated with the first byte, because most servers write nothing. */
  #bytes: Buffer | undefined;
  /** The first 8 KB, once the ring has overwritten them. */
  #head: Buffer | undefined;
  /** Bytes ever received; modulo the size of the ring, the place of the next byte. */
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

  /** The first 10 lines and the last 30, through the text gate: at most 8 KB, with a mark where lines were left out. */
  excerpt(): string {
    if (this.#seen === 0) return '';
    const head = this.#head;
    const lines = toLines(decodeTail(this.#content()));
    if (!head && lines.length <= FIRST_LINES + LAST_LINES && sizeOf(lines) <= TEXT_BYTES) return lines.join('\n');
    // The last line of the saved beginning is cut off.
    const first = takeFirst(head ? toLines(head.toString('utf8')).slice(0, -1) : lines);
    const rest = head ? lines : lines.slice(first.length);
    const last = takeLast(rest);
    // One line may be longer than the room for it: a dump, or a server that never ends its lines.
    if (last.length === 0) last.push(gateText(decodeTail(Buffer.from(rest.at(-1) ?? '').subarray(-TAIL_BYTES))).text);
    const isCut = head !== undefined || last.length < rest.length || sizeOf(rest) > TAIL_BYTES;
    return [...first, ...(isCut ? [TRUNCATION_MARK] : []), ...last].join('\n');
  }

  /** Copies the beginning before the ring overwrites it. */
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
const TEXT_BYTES = HEAD_BYTES + TAIL_BYTES; // 8 KB with the mark and the gate's replacements for broken characters

/** Decodes bytes that may begin in the middle of a UTF-8 character. */
function decodeTail(bytes: Uint8Array): string {
  let start = 0;
  while (start < 3 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.length - start).toString('utf8');
}
