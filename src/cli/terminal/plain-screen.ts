import { HostError } from '../../base/errors.js';
import { onAbort } from '../../base/on-abort.js';
import type { Style } from '../output/style.js';
import { exitWithoutTerminal } from './lost-terminal.js';
import { Interrupts } from './keys/interrupts.js';
import { cleanTypedText, KeyDecoder } from './keys/keys.js';
import { LineInput } from './keys/line-input.js';
import type {
  AskLineOptions,
  BlockView,
  ChooseKeyOptions,
  DialogBlock,
  FullScreen,
  Prompted,
  PromptOptions,
  Screen,
  TerminalStreams,
} from './screen.js';
import { LineQuestion } from './keys/line-question.js';
import { left } from './keys/key-handler.js';
import { NO_IMAGES } from './images/terminal-images.js';

export interface PlainScreenOptions extends TerminalStreams {
  readonly style: Style;
  readonly onHangup?: (() => void) | undefined;
  /** Ends the process, when the user insists. */
  readonly leave: () => void;
}

/** A terminal that cannot be redrawn, or is read aloud: lines follow each other, and no escape sequence is written. */
export class PlainScreen implements Screen {
  readonly style: Style;
  readonly isPlain = true;
  readonly images = NO_IMAGES;
  readonly #options: PlainScreenOptions;
  readonly #lines: LineInput;
  readonly #interrupts: Interrupts;
  /** The last row of the open question. */
  #question: string | undefined;
  /** Rejects the open question. */
  #leaveQuestion: (() => void) | undefined;
  /** The previous question; the next one waits for it. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(options: PlainScreenOptions) {
    this.style = options.style;
    this.#options = options;
    this.#interrupts = new Interrupts({ now: () => performance.now(), leave: options.leave });
    // Input ended by Ctrl-D: the user leaves, but the terminal is still there.
    this.#lines = new LineInput(options.input, () => this.#leaveQuestion?.());
    process.on('SIGINT', this.#interrupt);
    // Without `onHangup` these signals keep their default behaviour.
    if (options.onHangup) for (const signal of ENDING) process.on(signal, this.#hangUp);
    options.output.on('error', () => {});
  }

  get columns(): number {
    return this.#options.output.columns || COLUMNS;
  }

  get rows(): number {
    return this.#options.output.rows || ROWS;
  }

  print(text: string): void {
    const lines = text.endsWith('\n') ? text : `${text}\n`;
    // An open question is written again after the line. The terminal itself keeps what was typed so far.
    this.#write(this.#question === undefined ? lines : `\n${lines}${this.#question}`);
  }

  /** Its only texts are images, and this screen draws none. */
  printLater(): void {}

  copy(): void {}

  show(): void {}

  animate(): Disposable {
    return { [Symbol.dispose]: () => {} };
  }

  ask(question: string | (() => string), { signal, isSecret = false }: AskLineOptions = {}): Promise<string> {
    const text = typeof question === 'function' ? question() : question;
    return this.#inTurn(() => (isSecret ? this.#askSecret(text, signal) : this.#askLine(text, signal)));
  }

  choose<Choice extends string>(rows: readonly string[], options: ChooseKeyOptions<Choice>): Promise<Choice> {
    return this.#choose(
      () => rows,
      options,
      () => false,
    );
  }

  #choose<Choice extends string>(
    rows: () => readonly string[],
    { keys, words = {}, signal }: ChooseKeyOptions<Choice>,
    otherKey: (name: string) => boolean,
  ): Promise<Choice> {
    const question = (): string => rows().join('\n').replace(/ ?$/u, ' ');
    const again = `One of ${Object.keys(keys).map(nameKey).join(', ')}: `;
    return this.#inTurn(async () => {
      for (let asked = question(); ;) {
        const word = (await this.#askLine(asked, signal)).trim();
        const typed = { ...words, ...keys };
        const name = [word, word.toLowerCase(), word === '' ? 'return' : ''].find((one) => Object.hasOwn(typed, one));
        if (name !== undefined) return typed[name]!;
        asked = otherKey(word.toLowerCase()) ? question() : again;
      }
    });
  }

  openBlock(): DialogBlock {
    let view: BlockView | undefined;
    const print = (text: string): void => this.print(text);
    const show = (): void => {
      if (view) print(view.draw({ columns: this.columns, rows: Infinity }).join('\n'));
    };
    return {
      print,
      view(now) {
        view = now;
        show();
      },
      ask: (question, options) => this.ask(question, options),
      choose: (rows, options) =>
        this.#choose(rows, options, (name) => {
          const isChanged = view?.key({ name }) === true;
          if (isChanged) show();
          return isChanged;
        }),
      begin: () => ({ settle() {}, remove() {} }),
      fold: print,
      keep: print,
      [Symbol.dispose]() {},
    };
  }

  async prompt({ mark, signal, draft = '' }: PromptOptions): Promise<Prompted> {
    if (draft !== '') this.print(`Not sent; enter it again to send it: ${cleanTypedText(draft)}`);
    const rows: string[] = [];
    for (let isWarned = false; ;) {
      const isFirst = rows.length === 0;
      const kept = this.#lines.takeKept();
      const answer =
        kept ?? (await this.#inTurn(() => this.#askLine(isFirst ? mark : '… ', signal)).catch(() => undefined));
      if (answer === undefined) {
        if (signal?.aborted === true) throw left();
        if (isWarned || this.#lines.isEnded) return { kind: 'leave' };
        this.print('Ctrl-C again leaves');
        isWarned = true;
        rows.length = 0;
        continue;
      }
      isWarned = false;
      const line = cleanTypedText(answer);
      // A backslash at the end of a line continues it.
      rows.push(line.endsWith('\\') ? line.slice(0, -1) : line);
      const text = rows.join('\n');
      if (line.endsWith('\\')) continue;
      if (text.trim() !== '') return { kind: 'text', text };
      rows.length = 0;
    }
  }

  onInterrupt(listener: () => void): Disposable {
    return this.#interrupts.on(listener);
  }

  onShortcut(): Disposable {
    return { [Symbol.dispose]() {} };
  }

  openFull(): FullScreen {
    throw new HostError('unsupported', 'Plugboard cannot draw on this terminal', {
      hint: 'Set TERM to the type of your terminal',
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('SIGINT', this.#interrupt);
    for (const signal of ENDING) process.off(signal, this.#hangUp);
    this.#lines[Symbol.dispose]();
    this.#leaveQuestion?.();
    exitWithoutTerminal(this.#options.output);
  }

  #write(text: string): void {
    this.#options.output.write(text);
  }

  #inTurn<Result>(ask: () => Promise<Result>): Promise<Result> {
    const asked = this.#before.then(ask);
    this.#before = asked.catch(() => {}); // the caller gets the rejection
    return asked;
  }

  #askLine(question: string, signal: AbortSignal | undefined): Promise<string> {
    return this.#asking(question, signal, (answer) => this.#lines.wait((line) => answer(line.replace(/\r$/u, ''))));
  }

  /** The terminal echoes the lines that it edits itself, so a secret is read key by key in raw mode. */
  #askSecret(question: string, signal: AbortSignal | undefined): Promise<string> {
    return this.#asking(question, signal, (answer) => {
      const { input } = this.#options;
      const ports = { print: () => {}, changed: () => {}, resolve: answer, reject: () => this.#leaveQuestion?.() };
      const keyHandler = new LineQuestion({ ...ports, question, isSecret: true });
      const decoder = new KeyDecoder((key) => keyHandler.key(key));
      const read = (bytes: Uint8Array): void => decoder.push(bytes);
      this.#lines.pause();
      input.setRawMode?.(true);
      input.on('data', read);
      return {
        [Symbol.dispose]: () => {
          input.off('data', read);
          input.setRawMode?.(false);
          this.#write('\n');
          this.#lines.resume();
        },
      };
    });
  }

  async #asking(
    question: string,
    signal: AbortSignal | undefined,
    read: (answer: (text: string) => void) => Disposable,
  ): Promise<string> {
    if (this.#lines.isEnded || signal?.aborted === true) throw left();
    this.#write(question);
    this.#question = question.slice(question.lastIndexOf('\n') + 1);
    let listening: Disposable | undefined;
    let reading: Disposable | undefined;
    try {
      return await new Promise<string>((resolve, reject) => {
        this.#leaveQuestion = () => reject(left());
        listening = onAbort(signal, this.#leaveQuestion);
        reading = read(resolve);
      });
    } catch (error) {
      this.#write('\n');
      throw error;
    } finally {
      this.#question = undefined;
      reading?.[Symbol.dispose]();
      listening?.[Symbol.dispose]();
      this.#leaveQuestion = undefined;
    }
  }

  readonly #interrupt = (): void => {
    if (this.#leaveQuestion) this.#leaveQuestion();
    else this.#interrupts.press();
  };

  readonly #hangUp = (): void => {
    this.#lines[Symbol.dispose]();
    this.#leaveQuestion?.();
    this.#options.onHangup?.();
  };
}

function nameKey(key: string): string {
  return key === 'return' ? 'Enter' : key;
}

const COLUMNS = 80; // for a terminal that does not report its size
const ROWS = 24;
const ENDING = ['SIGTERM', 'SIGHUP'] as const;
