const LINE_LIMIT = 64 * 1_048_576; // bytes; more than any call of a test has

/** Splits chunks into lines, in time that is linear in the bytes. */
export class LineSplitter {
  readonly #take: (line: string) => void;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#length = 0;
      from = end + 1;
      if (line.trim() !== '') this.#take(line);
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= LINE_LIMIT) this.#parts.push(part);
  }
}

const NEWLINE = 10;
