import type { KeyHandlerFrame } from '../compose.js';
import type { Size } from '../footer.js';
import type { Interrupts } from './interrupts.js';
import type { DecodedKey } from './keys.js';
import { isInterrupt, type KeyHandler } from './key-handler.js';
import { TypeAhead } from './type-ahead.js';

export interface KeyRouterOptions {
  readonly now: () => number;
  readonly interrupts: Interrupts;
}

/**
 * Decides which handler gets a key. Questions come one after the other, before the prompt. A key that was pressed
 * before a question could be seen, or in the middle of a word, does not answer it.
 */
export class KeyRouter {
  readonly ahead = new TypeAhead();
  readonly #options: KeyRouterOptions;
  #questions: readonly KeyHandler[] = [];
  #prompts: readonly KeyHandler[] = [];
  /** The handler that was drawn; `#isSeen` once the user could see it. */
  #drawn: KeyHandler | undefined;
  #isSeen = false;
  readonly #begun = new WeakSet<KeyHandler>();
  /** Time of the last key that was no answer. */
  #typedAt = -Infinity;
  /** Time of the last one-key answer: a key pressed twice or held down must not answer the next question. */
  #answeredAt = -Infinity;
  /** The key of that answer. */
  #answer = '';

  constructor(options: KeyRouterOptions) {
    this.#options = options;
  }

  get current(): KeyHandler | undefined {
    return this.#questions[0] ?? this.#prompts[0];
  }

  addQuestion(keyHandler: KeyHandler): void {
    this.#questions = [...this.#questions, keyHandler];
  }

  addPrompt(keyHandler: KeyHandler): void {
    this.#prompts = [...this.#prompts, keyHandler];
  }

  /** The handler has its answer: the next key counts as new. */
  finish(keyHandler: KeyHandler): void {
    this.#typedAt = -Infinity;
    if (keyHandler.isOneKey === true) this.#answeredAt = this.#options.now();
    this.remove(keyHandler);
  }

  /** The handler needs no answer any more. */
  remove(keyHandler: KeyHandler): void {
    this.#questions = this.#questions.filter((other) => other !== keyHandler);
    this.#prompts = this.#prompts.filter((other) => other !== keyHandler);
  }

  /** The rows of the current handler. */
  draw(size: Size): KeyHandlerFrame | undefined {
    const keyHandler = this.current;
    if (!keyHandler) return undefined;
    if (!this.#begun.has(keyHandler)) {
      this.#begun.add(keyHandler);
      keyHandler.begin?.(size);
    }
    return keyHandler.draw(size);
  }

  /** The result of `draw` is on the screen. */
  wasDrawn(): void {
    const keyHandler = this.current;
    if (keyHandler === this.#drawn) return;
    this.#drawn = keyHandler;
    this.#isSeen = false;
    const see = (): void => void (this.#isSeen ||= this.#drawn === keyHandler);
    // After two turns of the event loop all keys pressed before are read.
    if (keyHandler) setImmediate(() => setImmediate(see));
  }

  key(key: DecodedKey): void {
    const keyHandler = this.current;
    const isStop = isInterrupt(key) || key.name === 'escape';
    if (isStop) this.#typedAt = -Infinity; // a stop is deliberate, not part of a word
    if (!keyHandler) {
      if (isInterrupt(key)) this.#options.interrupts.press();
      else if (isStop) this.#options.interrupts.tell();
      else this.#type(key);
    } else if (keyHandler === this.#prompts[0]) {
      if (isStop) keyHandler.key(key);
      else this.#type(key, keyHandler);
    } else if (isStop || this.#mayAnswer(keyHandler)) {
      this.#answer = key.name;
      keyHandler.key(key);
    } else if (this.#isRepeated(keyHandler, key)) this.#answeredAt = this.#options.now();
    else this.#type(key, this.#prompts[0]);
  }

  /** Ends all handlers: the terminal is gone. */
  end(): void {
    for (const keyHandler of [...this.#questions, ...this.#prompts]) keyHandler.end();
  }

  #type(key: DecodedKey, prompt?: KeyHandler): void {
    this.#typedAt = this.#options.now();
    (prompt ?? this.ahead).key(key);
  }

  /** The previous answer once more: dropped, so that it does not end up in the next prompt. */
  #isRepeated(keyHandler: KeyHandler, { name }: DecodedKey): boolean {
    const isSoon = this.#options.now() - this.#answeredAt <= WORD_MS && this.#typedAt === -Infinity;
    return isSoon && keyHandler.isOneKey === true && name === this.#answer;
  }

  #mayAnswer(keyHandler: KeyHandler): boolean {
    const since = keyHandler.isOneKey === true ? Math.max(this.#typedAt, this.#answeredAt) : this.#typedAt;
    return this.#isSeen && this.#drawn === keyHandler && this.#options.now() - since > WORD_MS;
  }
}

const WORD_MS = 400; // longer than a pause within a word
