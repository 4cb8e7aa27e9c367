// https://ecma-international.org/publications-and-standards/standards/ecma-48/ (8.3.117, SGR), and OSC 8 for links.

/** Which styles are on at some place of a text, so that a row can end there and another can go on. */
export class OpenStyles {
  /** By the code that ends them. */
  readonly #open = new Map<number, string>();
  #link = '';

  /** An escape sequence of the text. */
  take(sequence: string): void {
    const link = LINK.exec(sequence);
    if (link) this.#link = link[1] === '' ? '' : sequence;
    const codes = STYLE.exec(sequence)?.[1];
    if (codes !== undefined) this.#takeStyle(codes, sequence);
  }

  get opening(): string {
    return this.#link + Array.from(this.#open.values()).join('');
  }

  get closing(): string {
    const styles = Array.from(this.#open.keys(), (code) => `\u001B[${code}m`).join('');
    return this.#link === '' ? styles : `${styles}\u001B]8;;\u0007`;
  }

  /** One that sets several at once is kept whole under the first of them: this program writes none. */
  #takeStyle(codes: string, sequence: string): void {
    const code = Number(codes.split(';', 1)[0]);
    if (code === 0) this.#open.clear();
    const end = endOf(code);
    if (end === code) this.#open.delete(code);
    else if (end !== undefined) {
      const before = end === NORMAL_WEIGHT ? (this.#open.get(end) ?? '').replace(sequence, '') : '';
      this.#open.set(end, before + sequence);
    }
  }
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
const STYLE = /^\u001B\[([\d;]*)m$/u;
// eslint-disable-next-line no-control-regex -- they are what is looked for
const LINK = /^\u001B\]8;[^;]*;(.*?)(?:\u0007|\u001B\\)$/u;
/** Bold and dim can both be on, and end together. */
const NORMAL_WEIGHT = 22;

/** The code that ends what this one begins; itself for one that ends something. */
function endOf(code: number): number | undefined {
  if (code === 1 || code === 2) return NORMAL_WEIGHT;
  if (code >= 3 && code <= 9) return code === 6 ? 25 : code + 20;
  if (code >= 22 && code <= 29) return code;
  if ((code >= 30 && code <= 39) || (code >= 90 && code <= 97)) return 39;
  if ((code >= 40 && code <= 49) || (code >= 100 && code <= 107)) return 49;
  return undefined;
}
