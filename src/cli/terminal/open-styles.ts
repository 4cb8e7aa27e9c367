// https://ecma-international.org/publications-and-standards/standards/ecma-48/ (8.3.117, SGR), and OSC 8 for links.

/** The styles that are on at one place of a text, so that a row can end there and the next one continue them. */
export class OpenStyles {
  /** By the code that ends them. */
  readonly #open = new Map<number, string>();
  #link = '';

  /** Takes an escape sequence of the text. */
  take(sequence: string): void {
    const kind = sequence.slice(0, 2);
    const rest = sequence.slice(2);
    if (kind === STRING) {
      const address = LINK.exec(rest)?.[1];
      if (address !== undefined) this.#link = TERMINATORS.has(address) ? '' : sequence;
    }
    const codes = kind === CONTROL ? STYLE.exec(rest)?.[1] : undefined;
    if (codes !== undefined) this.#takeStyle(codes, sequence);
  }

  get opening(): string {
    return this.#link + Array.from(this.#open.values()).join('');
  }

  get closing(): string {
    const styles = Array.from(this.#open.keys(), (code) => `\u001B[${code}m`).join('');
    return this.#link === '' ? styles : `${styles}\u001B]8;;\u0007`;
  }

  /** A sequence that sets several styles is kept under its first code; Plugboard writes none. */
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

const CONTROL = '\u001B[';
const STRING = '\u001B]';
const STYLE = /^([\d;]*)m$/u;
/** An address and its terminator; without an address it ends a link. */
const LINK = /^8;[^;]*;(.*)$/su;
const TERMINATORS: ReadonlySet<string> = new Set(['\u0007', '\u001B\\']);
/** Ends both bold and dim, which can be on together. */
const NORMAL_WEIGHT = 22;

/** The code that ends the style of `code`; `code` itself when it ends one. */
function endOf(code: number): number | undefined {
  if (code === 1 || code === 2) return NORMAL_WEIGHT;
  if (code >= 3 && code <= 9) return code === 6 ? 25 : code + 20;
  if (code >= 22 && code <= 29) return code;
  if ((code >= 30 && code <= 39) || (code >= 90 && code <= 97)) return 39;
  if ((code >= 40 && code <= 49) || (code >= 100 && code <= 107)) return 49;
  return undefined;
}
