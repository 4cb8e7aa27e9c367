import { StringDecoder } from 'node:string_decoder';
import { MASK } from '../../base/secret.js';
import type { TextRedactor } from '../../model/redaction/redact-text.js';
import { gateText } from '../../model/text/text-gate.js';

/**
 * Masks credentials in a server's stderr as it arrives, so that they are never kept or shown. Checks a line when it is
 * complete, because a secret may come in two chunks. Text without a secret passes unchanged, colors included.
 */
export class StderrRedactor {
  readonly #redactor: TextRedactor;
  readonly #emit: (bytes: Buffer) => void;
  readonly #decoder = new StringDecoder('utf8');
  readonly #limit: number;
  /** The unfinished line, after lines that are held back because a secret may continue. */
  #line = '';
  /** The part of the unfinished line that has been emitted. */
  #emitted = '';
  /** The rest of the line is dropped: where a secret in it ends is unknown. */
  #isCut = false;
  /** The end of the lines emitted so far, unmasked: a secret may have begun there. */
  #before = '';
  /** How many more lines may belong to a private key that has begun. */
  #keyLines = 0;

  constructor(redactor: TextRedactor, emit: (bytes: Buffer) => void) {
    this.#redactor = redactor;
    this.#emit = emit;
    this.#limit = Math.max(LINE_LIMIT, 4 * redactor.reach);
  }

  push(chunk: Uint8Array): void {
    const text = this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    const end = lineEndIn(text);
    if (end > 0) this.#take(this.#line + text.slice(0, end), text.slice(end));
    else this.#line += text;
    if (this.#isCut) this.#line = '';
    else if (this.#line.length > this.#limit) this.#shorten();
  }

  /** Emits complete lines, without the last ones if a secret may continue in the next line. */
  #take(lines: string, rest: string): void {
    const from = this.#isCut ? lines.length : this.#heldFrom(lines);
    const waits = lines.length - from <= HELD_LIMIT && (from > 0 || this.#emitted === '');
    const ended = waits ? lines.slice(0, from) : lines;
    if (ended !== '') this.#emitText(this.#endLines(this.#join(ended)));
    this.#line = lines.slice(ended.length) + rest;
  }

  /** Where the lines to hold back begin. The line before them may end with the beginning of a secret, too. */
  #heldFrom(lines: string): number {
    let from = lines.length;
    for (let tries = 0; tries < HELD_LINES; tries++) {
      const held = this.#redactor.broken.pending(lines.slice(0, from));
      if (held === 0) break;
      from = lineEndIn(lines.slice(0, from - held));
    }
    return from;
  }

  /** Masks secrets that are broken by a line end. */
  #join(lines: string): string {
    const clean = this.#redactor.broken.mask(lines, this.#before);
    this.#remember(lines);
    return clean;
  }

  #remember(lines: string): void {
    const length = 2 * this.#redactor.broken.longest; // room for line ends inside the secret
    this.#before = length === 0 ? '' : (this.#before + lines.slice(-length)).slice(-length);
  }

  /** Emits a line that may never end. Its later chunks are still checked together with this part. */
  flush(): void {
    const line = this.#line;
    if (line === '' || this.#isCut) return;
    const visible = this.#withoutBeginning(line);
    const end = lineEndIn(visible);
    if (end > 0) {
      this.#remember(line.slice(0, lineEndIn(line)));
      this.#emitText(this.#endLines(visible.slice(0, end)));
      this.#line = line.slice(lineEndIn(line));
    }
    if (this.#isCut || this.#keyLines > 0 || this.#line === '') return;
    const told = this.#clean(visible.slice(end));
    this.#emitText(this.#after(told));
    if (!this.#isCut) this.#emitted = told;
  }

  /** Masks the end of the text if a secret may have begun there. */
  #withoutBeginning(text: string): string {
    const { broken } = this.#redactor;
    // Complete secrets first: the end of one may look like the beginning of another.
    const clean = broken.mask(text, this.#before);
    const at = clean.length - broken.pending(clean);
    return clean.slice(0, at) + clean.slice(at).replaceAll(/[^\r\n]+/gu, MASK);
  }

  /** Redacts complete lines. The first may be the rest of a line that was partly emitted. */
  #endLines(text: string): string {
    if (this.#emitted === '' && !this.#isCut) return this.#cleanLines(text);
    const end = text.search(LINE_END);
    const first = this.#isCut ? '' : this.#after(this.#cleanLine(text.slice(0, end)));
    this.#emitted = '';
    this.#isCut = false;
    return first + this.#cleanLines(text.slice(end));
  }

  /** Returns the part of a line that is not emitted yet. Drops it if a secret began in the emitted part. */
  #after(line: string): string {
    if (line.startsWith(this.#emitted)) return line.slice(this.#emitted.length);
    this.#isCut = true;
    return MASK;
  }

  #cleanLines(text: string): string {
    // One check of many lines is cheaper than many checks, and correct unless masking removes a line end.
    if (this.#keyLines === 0 && !text.includes('PRIVATE KEY')) {
      const clean = this.#clean(text);
      if (clean === text || (!text.includes('\r') && linesIn(clean) === linesIn(text))) return clean;
    }
    return text
      .split(LINE_END)
      .map((part, at) => (at % 2 === 0 ? this.#cleanLine(part) : part))
      .join('');
  }

  #cleanLine(line: string): string {
    if (this.#keyLines > 0) return this.#cleanKey(line);
    if (BEGINS_KEY.test(line)) this.#keyLines = KEY_LINES;
    return this.#clean(line);
  }

  #cleanKey(line: string): string {
    this.#keyLines = line.includes('-----END') ? 0 : this.#keyLines - 1;
    if (/^[\s\w+/=:,-]*$/u.test(line)) return line.trim() === '' ? line : MASK;
    return this.#clean(line.replaceAll(/[\w+/=]{16,}/gu, MASK));
  }

  /** Returns the text unchanged if it has no secret. Checks it without color codes, which may hide a secret. */
  #clean(text: string): string {
    const visible = gateText(text).text;
    const clean = this.#redactor.redact(visible);
    return clean === visible ? text : clean;
  }

  /** Emits most of a line that is too long, cut where no secret is; without such a place, drops its rest. */
  #shorten(): void {
    const { reach } = this.#redactor;
    const line = this.#keyLines > 0 ? '' : this.#line;
    const whole = this.#clean(line);
    for (const back of line === '' ? [] : [1, 1.25, 1.5, 1.75, 2]) {
      const at = line.length - Math.ceil(back * reach);
      const [head, tail] = [this.#clean(line.slice(0, at)), this.#clean(line.slice(at))];
      if (head + tail !== whole || !head.startsWith(this.#emitted)) continue;
      this.#emitText(head.slice(this.#emitted.length));
      this.#emitted = '';
      this.#line = line.slice(at);
      return;
    }
    this.#emitText(`${this.#after(this.#clean(line.slice(0, line.length - 2 * reach)))}${MASK}`);
    this.#line = this.#emitted = '';
    this.#isCut = true;
  }

  #emitText(text: string): void {
    if (text !== '') this.#emit(Buffer.from(text));
  }
}

const LINE_LIMIT = 32_768;
const HELD_LIMIT = 16_384;
const HELD_LINES = 16;
const KEY_LINES = 120; // a key of 8192 bits has 100
const LINE_END = /(\r\n|\n|\r)/u;
const BEGINS_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?!.*-----END)/u;

/** The index after the last line end; 0 when there is none. */
function lineEndIn(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
