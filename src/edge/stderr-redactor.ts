import { StringDecoder } from 'node:string_decoder';
import { MASK } from '../base/secret.js';
import type { TextRedactor } from '../model/redact-text.js';
import { gateText } from '../model/text-gate.js';

/**
 * Takes credentials out of what a server says on stderr, where it comes in: nothing behind it keeps or shows them. A line is looked at when
 * it is whole, so that no secret is missed because it came in two pieces. What holds none goes on as it came, colours included.
 */
export class StderrRedactor {
  readonly #redactor: TextRedactor;
  readonly #emit: (bytes: Buffer) => void;
  readonly #decoder = new StringDecoder('utf8');
  readonly #limit: number;
  /** What has come of the line that has not ended. */
  #line = '';
  /** What was given out of it already. */
  #told = '';
  /** The rest of the line is left out: nobody can say where a secret in it ends. */
  #isCut = false;
  /** How many more lines may belong to a private key that has begun. */
  #keyLines = 0;

  constructor(redactor: TextRedactor, emit: (bytes: Buffer) => void) {
    this.#redactor = redactor;
    this.#emit = emit;
    this.#limit = Math.max(LINE_LIMIT, 4 * redactor.reach);
  }

  push(chunk: Uint8Array): void {
    const text = this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
    if (end > 0) this.#give(this.#endLines(this.#line + text.slice(0, end)));
    this.#line = end > 0 ? text.slice(end) : this.#line + text;
    if (this.#isCut) this.#line = '';
    else if (this.#line.length > this.#limit) this.#shorten();
  }

  /** Gives out what has come of a line that may never end. What comes of it later is still looked at together with this. */
  flush(): void {
    if (this.#isCut || this.#keyLines > 0 || this.#line === '') return;
    const told = this.#clean(this.#line);
    this.#give(this.#after(told));
    if (!this.#isCut) this.#told = told;
  }

  /** The beginning may belong to a line of which something is out. */
  #endLines(text: string): string {
    if (this.#told === '' && !this.#isCut) return this.#cleanLines(text);
    const end = text.search(LINE_END);
    const first = this.#isCut ? '' : this.#after(this.#cleanLine(text.slice(0, end)));
    this.#told = '';
    this.#isCut = false;
    return first + this.#cleanLines(text.slice(end));
  }

  /** What is to be said behind what was said; where that was wrong, because a secret began in it, nothing more of the line. */
  #after(line: string): string {
    if (line.startsWith(this.#told)) return line.slice(this.#told.length);
    this.#isCut = true;
    return MASK;
  }

  #cleanLines(text: string): string {
    // One look at many lines is cheaper than many, and right unless a secret takes the end of its line with it.
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

  /** The text itself where nothing is in it. Colours may stand in the middle of a pair, and hide it. */
  #clean(text: string): string {
    const visible = gateText(text).text;
    const clean = this.#redactor.redact(visible);
    return clean === visible ? text : clean;
  }

  /** A line without an end goes on in pieces, each cut where no secret stands; where there is no such place it ends here. */
  #shorten(): void {
    const { reach } = this.#redactor;
    const line = this.#keyLines > 0 ? '' : this.#line;
    const whole = this.#clean(line);
    for (const back of line === '' ? [] : [1, 1.25, 1.5, 1.75, 2]) {
      const at = line.length - Math.ceil(back * reach);
      const [head, tail] = [this.#clean(line.slice(0, at)), this.#clean(line.slice(at))];
      if (head + tail !== whole || !head.startsWith(this.#told)) continue;
      this.#give(head.slice(this.#told.length));
      this.#told = '';
      this.#line = line.slice(at);
      return;
    }
    this.#give(`${this.#after(this.#clean(line.slice(0, line.length - 2 * reach)))}${MASK}`);
    this.#line = this.#told = '';
    this.#isCut = true;
  }

  #give(text: string): void {
    if (text !== '') this.#emit(Buffer.from(text));
  }
}

const LINE_LIMIT = 32_768;
const KEY_LINES = 120; // one of 8192 bits has 100
const LINE_END = /(\r\n|\n|\r)/u;
const BEGINS_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?!.*-----END)/u;

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
