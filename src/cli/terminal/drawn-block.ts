import type { Size } from './footer.js';
import { KeyQuestion } from './keys/key-question.js';
import type { KeyHandler, KeyHandlerPorts } from './keys/key-handler.js';
import { LineQuestion } from './keys/line-question.js';
import type { AskLineOptions, BlockPart, BlockView, ChooseKeyOptions, DialogBlock } from './screen.js';
import { isLongAddress, wrapBlockRow } from './text/block-rows.js';

export interface DrawnBlockPorts {
  /** Prints a line that stays. */
  readonly print: (text: string) => void;
  readonly changed: () => void;
  readonly question: <Result>(
    make: (ports: KeyHandlerPorts<Result>) => KeyHandler,
    signal: AbortSignal | undefined,
  ) => Promise<Result>;
  readonly animate: () => Disposable;
  readonly onEnd: () => void;
}

/** The block of a dialog on a screen that can be redrawn. */
export class DrawnBlock implements DialogBlock {
  readonly #ports: DrawnBlockPorts;
  #lines: readonly BlockLine[] = [];
  /** How many lines have left `#lines` at its beginning. */
  #gone = 0;
  #view: BlockView | undefined;
  /** The view does not fit the screen: it is printed, again after each change. */
  #isViewPrinted = false;
  #isOver = false;

  constructor(ports: DrawnBlockPorts) {
    this.#ports = ports;
  }

  print(text: string): void {
    if (this.#isOver) {
      this.#ports.print(text);
      return;
    }
    const lines = text.replace(/\n$/u, '').split('\n');
    this.#lines = [...this.#lines, ...lines.map((line) => ({ text: line, mayGo: false }))];
    this.#ports.changed();
  }

  begin(): BlockPart {
    const from = this.#gone + this.#lines.length;
    const settle = (lines: readonly string[]): void => {
      const at = from - this.#gone;
      // The beginning of a part that was printed already stays printed.
      const left = lines.slice(Math.max(-at, 0)).map((text) => ({ text, mayGo: true }));
      this.#lines = [...this.#lines.slice(0, Math.max(at, 0)), ...left];
      this.#ports.changed();
    };
    return { settle, remove: () => settle([]) };
  }

  view(view: BlockView): void {
    this.#view = view;
    this.#isViewPrinted = false;
    this.#ports.changed();
  }

  async ask(question: string | (() => string), { signal, isSecret = false }: AskLineOptions = {}): Promise<string> {
    using _ = typeof question === 'function' ? this.#ports.animate() : undefined;
    const print = (text: string): void => this.print(text);
    return await this.#ports.question<string>(
      (ports) => new LineQuestion({ ...ports, print, question, isSecret }),
      signal,
    );
  }

  choose<Choice extends string>(
    rows: () => readonly string[],
    { keys, signal }: ChooseKeyOptions<Choice>,
  ): Promise<Choice> {
    const otherKey = (key: { readonly name: string }): void => {
      if (this.#view?.key(key) !== true) return;
      this.#isViewPrinted = false;
      this.#ports.changed();
    };
    return this.#ports.question<Choice>(
      (ports) => new KeyQuestion({ ...ports, rows, keys, otherKey, isFolded: true }),
      signal,
    );
  }

  fold(line: string): void {
    if (!this.#isOver) this.#ports.print(line);
    this[Symbol.dispose]();
  }

  keep(line: string): void {
    this.fold([...this.#lines.map(({ text }) => text), line].join('\n'));
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#ports.onEnd();
    this.#ports.changed();
  }

  /** `rows`: for the foot, at most `room`. `above`: to be printed first, so that nothing of a question is hidden. */
  draw(size: Size, room: number): { readonly above: readonly string[]; readonly rows: readonly string[] } {
    let shown = this.#isViewPrinted ? [] : (this.#view?.draw(size) ?? []);
    const above: string[] = [];
    if (shown.length > room) {
      above.push(...this.#view!.draw({ ...size, rows: Infinity }));
      this.#isViewPrinted = true;
      shown = [];
    }
    const rows = this.#lines.map(({ text }) => wrapBlockRow(text, size.columns));
    let height = rows.reduce((sum, one) => sum + one.length, shown.length);
    for (const [at, { mayGo }] of this.#lines.entries()) {
      if (height <= room) break;
      if (!mayGo) continue;
      height -= rows[at]!.length;
      rows[at] = [];
    }
    let printed = 0;
    while (height > room && printed < rows.length) height -= rows[printed++]!.length;
    // An address that takes several rows is printed, so that it can be selected and copied whole.
    const address = this.#lines.findLastIndex(({ text }) => isLongAddress(text, size.columns));
    printed = Math.max(printed, address + 1);
    // The view stands above the lines, so it is printed before the first of them.
    if (printed > 0 && shown.length > 0) {
      above.push(...shown);
      this.#isViewPrinted = true;
      shown = [];
    }
    const gone = this.#lines.slice(0, printed).flatMap(({ text }, at) => (at <= address ? [text] : rows[at]!));
    this.#lines = this.#lines.slice(printed);
    this.#gone += printed;
    return { above: [...above, ...gone], rows: [...shown, ...rows.slice(printed).flat()] };
  }
}

interface BlockLine {
  readonly text: string;
  /** Left out where room is short, instead of being printed. */
  readonly mayGo: boolean;
}
