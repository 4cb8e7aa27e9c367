import { onAbort } from '../../base/on-abort.js';
import type { Clock } from '../../model/clock.js';
import type { Style } from '../output/style.js';
import { copyToClipboard } from '../output/terminal-link.js';
import { LineQuestion } from './keys/line-question.js';
import { KeyQuestion } from './keys/key-question.js';
import { composeRows, dialogRoom } from './compose.js';
import { DrawnBlock } from './drawn-block.js';
import { Footer, type Frame, type Size } from './footer.js';
import { CLOSE_FULL, FullDrawing, OPEN_FULL } from './full-drawing.js';
import { Interrupts } from './keys/interrupts.js';
import { KeyRouter } from './keys/key-router.js';
import { openKeyInput } from './keys/key-input.js';
import type { DecodedKey } from './keys/keys.js';
import { PromptEditor } from './keys/prompt-editor.js';
import type {
  AskLineOptions,
  ChooseKeyOptions,
  DialogBlock,
  FullScreen,
  FullView,
  Prompted,
  PromptOptions,
  Screen,
  Zone,
} from './screen.js';
import type { PlainScreenOptions } from './plain-screen.js';
import { TerminalImages } from './images/terminal-images.js';
import { PrintQueue } from './print-queue.js';
import { left, type KeyHandler, type KeyHandlerPorts } from './keys/key-handler.js';
import { TerminalModes } from './terminal-modes.js';

export interface DrawnScreenOptions extends PlainScreenOptions {
  readonly isReflowing: boolean;
  readonly env: { readonly [name: string]: string | undefined };
  /** For tests: the clock of the query for images. */
  readonly clock?: Pick<Clock, 'after'> | undefined;
}

/** A terminal that can be redrawn. */
export class DrawnScreen implements Screen {
  readonly style: Style;
  readonly isPlain = false;
  readonly images: TerminalImages;
  readonly #output: NodeJS.WriteStream;
  readonly #onHangup: (() => void) | undefined;
  readonly #foot: Footer;
  readonly #modes: TerminalModes;
  readonly #keys: Disposable;
  readonly #interrupts: Interrupts;
  readonly #router: KeyRouter;
  readonly #zones: Partial<Record<Zone, readonly string[]>> = {};
  readonly #moving = new Set<{ readonly draw: () => void }>();
  readonly #blocks = new Set<DrawnBlock>();
  readonly #shortcuts = new Map<string, () => void>();
  #ticking: NodeJS.Timeout | undefined;
  #full: { readonly view: FullView; readonly drawing: FullDrawing } | undefined;
  /** Printed text that is not written yet. */
  readonly #printed = new PrintQueue(() => this.#changed());
  #drawing: NodeJS.Immediate | undefined;
  /** The terminal has hung up, or the screen was disposed of. */
  #isOver = false;

  constructor({ input, output, style, isReflowing, onHangup, leave, env, clock }: DrawnScreenOptions) {
    this.style = style;
    this.#output = output;
    this.#onHangup = onHangup;
    this.#foot = new Footer({ isReflowing });
    this.#interrupts = new Interrupts({ now, leave });
    this.#router = new KeyRouter({ now, interrupts: this.#interrupts });
    this.#modes = new TerminalModes({
      input,
      output,
      lastRows: () => this.#lastRows(),
      onResume: () => this.#resume(),
      onHangup: () => this.#hangUp(),
    });
    this.images = new TerminalImages({ env, clock, write: (text) => this.#write(text) });
    this.#keys = openKeyInput({
      input,
      take: (key) => this.#key(key),
      onEnd: () => void this.#hangUp(),
      replies: {
        onReply: (sequence) => this.images.reply(sequence),
        isExpecting: () => this.images.isExpecting,
      },
    });
    output.on('resize', this.#changed).on('error', this.#lost);
  }

  get columns(): number {
    return this.#output.columns || COLUMNS;
  }

  get rows(): number {
    return this.#output.rows || ROWS;
  }

  print(text: string): void {
    const lines = text.endsWith('\n') ? text : `${text}\n`;
    // Without a foot nothing has to be redrawn below the text.
    if (this.#isOver) {
      this.#write(lines);
      return;
    }
    this.#printed.add(lines);
    if (this.#full) this.#printed.forgetOldest();
    if (!this.#full && this.#printed.length > PRINT_AT_ONCE) this.#draw();
    else this.#changed();
  }

  printLater(text: Promise<string | undefined>): void {
    if (!this.#isOver) this.#printed.addLater(text);
  }

  copy(text: string): void {
    copyToClipboard(text, { stderr: { write: (sequence) => this.#write(sequence) } });
  }

  show(zone: Zone, rows: readonly string[] | undefined): void {
    this.#zones[zone] = rows ?? [];
    this.#changed();
  }

  animate(draw: () => void): Disposable {
    const one = { draw };
    this.#moving.add(one);
    this.#ticking ??= setInterval(() => {
      if (!this.#full) for (const { draw: drawOne } of this.#moving) drawOne();
    }, TICK_MS);
    return {
      [Symbol.dispose]: () => {
        this.#moving.delete(one);
        if (this.#moving.size > 0) return;
        clearInterval(this.#ticking);
        this.#ticking = undefined;
      },
    };
  }

  async ask(question: string | (() => string), { signal, isSecret = false }: AskLineOptions = {}): Promise<string> {
    using _ = typeof question === 'function' ? this.animate(this.#changed) : undefined;
    return await this.#question<string>((ports) => new LineQuestion({ ...ports, question, isSecret }), signal);
  }

  choose<Choice extends string>(rows: readonly string[], { keys, signal }: ChooseKeyOptions<Choice>): Promise<Choice> {
    return this.#question<Choice>((ports) => new KeyQuestion({ ...ports, rows: () => rows, keys }), signal);
  }

  openBlock(): DialogBlock {
    const block = new DrawnBlock({
      print: (text) => this.print(text),
      changed: this.#changed,
      question: (make, signal) => this.#question(make, signal),
      animate: () => this.animate(this.#changed),
      onEnd: () => void this.#blocks.delete(block),
    });
    this.#blocks.add(block);
    return block;
  }

  async prompt({ signal, draft = '', ...options }: PromptOptions): Promise<Prompted> {
    if (this.#isOver) return { kind: 'leave' };
    const all = draft + this.#router.ahead.take();
    const make = (ports: KeyHandlerPorts<Prompted>): PromptEditor =>
      new PromptEditor({ ...options, ...ports, draft: all, style: this.style });
    return await this.#taking(make, {
      signal,
      add: (keyHandler) => this.#router.addPrompt(keyHandler),
      leave: (keyHandler) => this.#router.ahead.keep(keyHandler.text),
    });
  }

  onInterrupt(listener: () => void): Disposable {
    return this.#interrupts.on(listener);
  }

  onShortcut(letter: string, listener: () => void): Disposable {
    this.#shortcuts.set(letter, listener);
    return { [Symbol.dispose]: () => void this.#shortcuts.delete(letter) };
  }

  openFull(view: FullView): FullScreen {
    this.#draw();
    this.#write(this.#foot.erase(this.#size) + OPEN_FULL);
    const full = { view, drawing: new FullDrawing() };
    this.#full = full;
    this.#changed();
    return {
      changed: this.#changed,
      [Symbol.dispose]: () => {
        if (this.#full !== full) return;
        this.#full = undefined;
        this.#write(full.drawing.end() + CLOSE_FULL);
        this.#foot.forget();
        this.#changed();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver) {
      this.#end();
      await this.images.drain();
    }
    this.#modes[Symbol.dispose]();
    this.#keys[Symbol.dispose]();
    clearInterval(this.#ticking);
    clearImmediate(this.#drawing);
    this.#output.off('resize', this.#changed);
  }

  get #size(): Size {
    return { columns: this.columns, rows: this.rows };
  }

  #question<Result>(
    make: (ports: KeyHandlerPorts<Result>) => KeyHandler,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    return this.#taking(make, { signal, add: (keyHandler) => this.#router.addQuestion(keyHandler) });
  }

  #taking<Result, Kind extends KeyHandler>(
    make: (ports: KeyHandlerPorts<Result>) => Kind,
    {
      signal,
      add,
      leave,
    }: {
      readonly signal: AbortSignal | undefined;
      readonly add: (keyHandler: Kind) => void;
      readonly leave?: (keyHandler: Kind) => void;
    },
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isOver || signal?.aborted === true) {
        reject(left());
        return;
      }
      const end = (): void => {
        listening?.[Symbol.dispose]();
        this.#router.remove(keyHandler);
        this.#changed();
      };
      const keyHandler = make({
        print: (text) => this.print(text),
        changed: this.#changed,
        resolve: (result) => (this.#router.finish(keyHandler), end(), resolve(result)),
        reject: (error) => (end(), reject(error)),
      });
      const listening = onAbort(signal, () => {
        leave?.(keyHandler);
        end();
        reject(left());
      });
      add(keyHandler);
      this.#changed();
    });
  }

  #key(key: DecodedKey): void {
    if (key.ctrl && key.name === 'z') this.#modes.suspend();
    else if (key.ctrl && key.name === 'l') this.#redraw();
    else if (this.#full) this.#full.view.key(key);
    else if (key.ctrl && this.#shortcuts.has(key.name)) this.#shortcuts.get(key.name)!();
    else this.#router.key(key);
  }

  /** Draws several changes together, in one turn of the event loop. */
  readonly #changed = (): void => {
    this.#drawing ??= setImmediate(() => this.#draw());
  };

  #draw(): void {
    clearImmediate(this.#drawing);
    this.#drawing = undefined;
    if (this.#isOver) return;
    const size = this.#size;
    if (this.#full) {
      const { view, drawing } = this.#full;
      this.#write(drawing.draw(view.draw(size), size, view.picture?.()));
      return;
    }
    const { frame, above } = this.#compose(size);
    this.#write(this.#foot.draw(frame, { above, size }));
    this.#router.wasDrawn();
  }

  /** The rows at the foot, and the text that is printed above them. */
  #compose(size: Size): { readonly frame: Frame; readonly above: string } {
    const before = this.#printed.take();
    const keyHandler = this.#router.draw(size);
    // A question that is too tall prints its first rows: they come below those of its block.
    const begun = this.#printed.take();
    const zones = this.#zones;
    if (this.#blocks.size === 0) return { frame: composeRows({ zones, keyHandler }, size), above: before + begun };
    const room = dialogRoom({ zones, keyHandler }, size);
    const drawn = Array.from(this.#blocks, (block) => block.draw(size, room));
    const blockRows = drawn.flatMap(({ above }) => above);
    const fresh = withoutRows(blockRows, this.#foot.scrolledOff(size)).map((row) => `${row}\n`);
    const dialog = [...drawn.flatMap(({ rows }) => rows), ...(zones.dialog ?? [])];
    return {
      frame: composeRows({ zones: { ...zones, dialog }, keyHandler }, size),
      above: before + fresh.join('') + begun,
    };
  }

  #redraw(): void {
    if (this.#full) this.#full.drawing.forget();
    else {
      this.#write(CLEAR);
      this.#foot.forget();
    }
    this.#changed();
  }

  #resume(): void {
    this.#foot.forget();
    if (this.#full) {
      this.#write(OPEN_FULL);
      this.#full.drawing.forget();
    }
    this.#changed();
  }

  /** Leaves the terminal clean: no foot, and everything printed. */
  #lastRows(): string {
    const size = this.#size;
    if (this.#full) {
      this.#foot.forget();
      return this.#full.drawing.end() + CLOSE_FULL + this.#printed.takeAll();
    }
    return this.#foot.draw({ rows: [] }, { above: this.#printed.takeAll(), size });
  }

  #write(text: string): void {
    if (text !== '') this.#output.write(text);
  }

  readonly #lost = (): void => void this.#hangUp();

  #hangUp(): boolean {
    if (this.#isOver) return this.#onHangup !== undefined;
    this.#end();
    this.#onHangup?.();
    return this.#onHangup !== undefined;
  }

  #end(): void {
    this.#isOver = true;
    this.#router.end();
  }
}

/** Rows without those at their beginning that `gone` ends with. */
function withoutRows(rows: readonly string[], gone: readonly string[]): readonly string[] {
  const from = gone.findIndex((_, at) => gone.slice(at).every((row, index) => row === rows[index]));
  return from === -1 ? rows : rows.slice(gone.length - from);
}

function now(): number {
  return performance.now();
}

const COLUMNS = 80; // for a terminal that does not report its size
const ROWS = 24;
const CLEAR = '\u001B[H\u001B[2J';
const TICK_MS = 100;
const PRINT_AT_ONCE = 65_536; // characters; more is written at once instead of collected
