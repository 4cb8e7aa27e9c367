/** Text that is to be written in order. A text that is not known yet holds back what follows it. */
export class PrintQueue {
  readonly #onKnown: () => void;
  #parts: Part[] = [];

  /** `onKnown`: called when more can be taken. */
  constructor(onKnown: () => void) {
    this.#onKnown = onKnown;
  }

  /** Characters that can be taken. */
  get length(): number {
    return this.#known.reduce((sum, { text }) => sum + text!.length, 0);
  }

  /** `text`: whole lines. */
  add(text: string): void {
    const last = this.#parts.at(-1);
    if (last?.text !== undefined) last.text += text;
    else this.#parts.push({ text });
  }

  addLater(text: Promise<string | undefined>): void {
    const part: Part = { text: undefined };
    this.#parts.push(part);
    const know = (known: string | undefined): void => {
      part.text = known === undefined || known === '' || known.endsWith('\n') ? (known ?? '') : `${known}\n`;
      this.#onKnown();
    };
    text.then(know, () => know(undefined));
  }

  /** Everything up to the first text that is not known yet. */
  take(): string {
    const known = this.#known;
    this.#parts = this.#parts.slice(known.length);
    return known.map(({ text }) => text).join('');
  }

  /** Everything that is known. */
  takeAll(): string {
    const parts = this.#parts;
    this.#parts = [];
    return parts.map(({ text = '' }) => text).join('');
  }

  /** For a queue that nothing is taken from: beyond a bound only the newest text is kept. */
  forgetOldest(): void {
    const last = this.#parts.at(-1);
    if (last?.text === undefined || last.text.length <= LIMIT) return;
    const kept = last.text.slice(-LIMIT / 2);
    last.text = `… earlier output is left out\n${kept.slice(kept.indexOf('\n') + 1)}`;
  }

  get #known(): readonly Part[] {
    const end = this.#parts.findIndex(({ text }) => text === undefined);
    return end === -1 ? this.#parts : this.#parts.slice(0, end);
  }
}

interface Part {
  text: string | undefined;
}

const LIMIT = 1_000_000; // characters; only while a full-screen view is open so much waits
