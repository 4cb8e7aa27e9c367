import { HostError } from '../../src/base/errors.js';
import { styleFor } from '../../src/cli/output/style.js';
import { NO_IMAGES } from '../../src/cli/terminal/images/terminal-images.js';
import type {
  AskLineOptions,
  BlockView,
  ChooseKeyOptions,
  DialogBlock,
  Prompted,
  PromptOptions,
  Screen,
  Zone,
} from '../../src/cli/terminal/screen.js';

/** A screen for tests: keys come from a list, and what is written is kept. */
export class FakeScreen implements Screen {
  readonly style = styleFor({ isTerminal: false, columns: 80, write() {} }, { env: {}, noColor: true });
  readonly isPlain: boolean;
  readonly images = NO_IMAGES;
  columns = 80;
  rows = 40;
  /** Everything that was printed, with the questions and their answers. */
  text = '';
  readonly zones = new Map<Zone, readonly string[]>();
  /** Entries for the prompt; when there are no more, the user leaves. */
  readonly entries: (string | (() => Promise<string>))[] = [];
  /** Keys that answer questions. */
  readonly keys: string[] = [];
  /** Lines that answer questions. */
  readonly lines: string[] = [];
  readonly prompts: PromptOptions[] = [];
  readonly #interrupts = new Set<() => void>();
  readonly #watchers = new Set<() => void>();

  constructor({ isPlain = false } = {}) {
    this.isPlain = isPlain;
  }

  print(text: string): void {
    this.#write(`${text}\n`);
  }

  printLater(): void {}

  copy(): void {}

  show(zone: Zone, rows: readonly string[] | undefined): void {
    if (rows && rows.length > 0) this.zones.set(zone, rows);
    else this.zones.delete(zone);
    for (const look of this.#watchers) look();
  }

  animate(draw: () => void): Disposable {
    draw();
    const timer = setInterval(draw, 50);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  async ask(question: string | (() => string), { signal }: AskLineOptions = {}): Promise<string> {
    const asked = typeof question === 'string' ? question : question();
    const line = await this.#next(this.lines, signal);
    this.#write(`${asked}${line}\n`);
    return line;
  }

  async choose<Choice extends string>(
    rows: readonly string[],
    { keys, signal }: ChooseKeyOptions<Choice>,
    otherKey: (name: string) => void = () => {},
  ): Promise<Choice> {
    this.#write(`${rows.join('\n')}\n`);
    for (;;) {
      const key = await this.#next(this.keys, signal);
      const choice = keys[key];
      if (choice !== undefined) {
        this.#write(`[${key}]\n`);
        return choice;
      }
      if (key === 'escape') throw left();
      otherKey(key);
    }
  }

  openBlock(): DialogBlock {
    let view: BlockView | undefined;
    const show = (): void => {
      if (view) this.print(view.draw({ columns: this.columns, rows: this.rows }).join('\n'));
    };
    return {
      print: (text) => this.print(text),
      view(now) {
        view = now;
        show();
      },
      ask: (question, options) => this.ask(question, options),
      choose: (rows, options) =>
        this.choose(rows(), options, (name) => {
          if (view?.key({ name }) !== true) return;
          show();
          this.print(rows().join('\n'));
        }),
      fold: (line) => this.print(`[folds to] ${line}`),
      begin: () => ({ settle() {}, remove() {} }),
      keep: (line) => this.print(line),
      [Symbol.dispose]() {},
    };
  }

  async prompt(options: PromptOptions): Promise<Prompted> {
    this.prompts.push(options);
    const next = this.entries.shift();
    if (next === undefined) return { kind: 'leave' };
    const text = typeof next === 'string' ? next : await next();
    if (options.signal?.aborted === true) {
      this.entries.unshift(text);
      throw new HostError('cancelled', 'The prompt made room');
    }
    this.#write(`${options.mark}${text}\n`);
    return { kind: 'text', text };
  }

  onInterrupt(listener: () => void): Disposable {
    this.#interrupts.add(listener);
    return { [Symbol.dispose]: () => void this.#interrupts.delete(listener) };
  }

  /** Ctrl-C while no prompt or question reads keys. */
  interrupt(): void {
    for (const listener of this.#interrupts) listener();
  }

  readonly shortcuts = new Map<string, () => void>();

  onShortcut(letter: string, listener: () => void): Disposable {
    this.shortcuts.set(letter, listener);
    return { [Symbol.dispose]: () => void this.shortcuts.delete(letter) };
  }

  openFull(): never {
    throw new Error('a fake screen has no panel');
  }

  press(key: string): void {
    this.keys.push(key);
    for (const look of this.#watchers) look();
  }

  /** Resolves when the screen matches. */
  until(isIt: (screen: FakeScreen) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isIt(this)) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #write(text: string): void {
    this.text += text;
    for (const look of this.#watchers) look();
  }

  async #next(from: string[], signal: AbortSignal | undefined): Promise<string> {
    if (signal?.aborted === true) throw left();
    if (from.length === 0) {
      await Promise.race([
        this.until(() => from.length > 0),
        new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(left()))),
      ]);
    }
    return from.shift()!;
  }
}

function left(): HostError {
  return new HostError('cancelled', 'You left without an answer');
}
