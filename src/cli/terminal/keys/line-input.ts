/** Lines of a terminal that edits them itself (cooked mode), each for one waiting reader. */
export class LineInput implements Disposable {
  readonly #input: NodeJS.ReadStream;
  readonly #onEnd: () => void;
  readonly #utf8 = new TextDecoder();
  /** Lines that came while there was no reader. */
  #kept: string[] = [];
  #begun = '';
  #take: ((line: string) => void) | undefined;
  #isEnded = false;

  constructor(input: NodeJS.ReadStream, onEnd: () => void) {
    this.#input = input;
    this.#onEnd = onEnd;
    this.resume();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Takes the next line. */
  wait(take: (line: string) => void): Disposable {
    this.#take = take;
    return { [Symbol.dispose]: () => void (this.#take === take && (this.#take = undefined)) };
  }

  /** The oldest line that came while there was no reader. */
  takeKept(): string | undefined {
    return this.#kept.shift();
  }

  /** Stops reading, so that another reader can. */
  pause(): void {
    this.#input.off('data', this.#read).off('end', this.#end).off('close', this.#end).off('error', this.#end);
  }

  resume(): void {
    if (this.#isEnded) return;
    this.#input.on('data', this.#read).on('end', this.#end).on('close', this.#end).on('error', this.#end);
    this.#input.resume();
  }

  [Symbol.dispose](): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.pause();
    this.#input.pause();
  }

  readonly #read = (bytes: Uint8Array): void => {
    const lines = (this.#begun + this.#utf8.decode(bytes, { stream: true })).split('\n');
    this.#begun = lines.pop()!.slice(0, LINE_LIMIT);
    for (const line of lines) {
      const take = this.#take;
      this.#take = undefined;
      if (take) take(line);
      else if (this.#kept.length < KEPT_LIMIT) this.#kept.push(line);
    }
  };

  readonly #end = (): void => {
    if (this.#isEnded) return;
    this[Symbol.dispose]();
    this.#input.on('error', () => {}); // late errors of a closed terminal
    this.#onEnd();
  };
}

const LINE_LIMIT = 1_000_000; // characters
const KEPT_LIMIT = 1000;
