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
 * Decides whom a key is for. Questions come one after the other, before the prompt; none of them is answered by a key that was meant for
 * something else, because it was pressed before the question could be seen or in the middle of a word.
 */
export class KeyRouter {
  readonly ahead = new TypeAhead();
  readonly #options: KeyRouterOptions;
  #questions: readonly KeyHandler[] = [];
  #prompts: readonly KeyHandler[] = [];
  /** The one that was drawn, and those that have had time to be seen. */
  #drawn: KeyHandler | undefined;
  #isSeen = false;
  readonly #begun = new WeakSet<KeyHandler>();
  /** When something was typed last that was no answer. */
  #typedAt = -Infinity;
  /** When one key was an answer last: whoever presses a key twice, or holds it down, has not read the next question. */
  #answeredAt = -Infinity;
  /** Which key that was. */
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

  /** It has its answer: what is typed from now on is something new. */
  finish(keyHandler: KeyHandler): void {
    this.#typedAt = -Infinity;
    if (keyHandler.isOneKey === true) this.#answeredAt = this.#options.now();
    this.remove(keyHandler);
  }

  /** It wants no answer any more. */
  remove(keyHandler: KeyHandler): void {
    this.#questions = this.#questions.filter((other) => other !== keyHandler);
    this.#prompts = this.#prompts.filter((other) => other !== keyHandler);
  }

  /** What is shown of whoever takes keys. */
  draw(size: Size): KeyHandlerFrame | undefined {
    const keyHandler = this.current;
    if (!keyHandler) return undefined;
    if (!this.#begun.has(keyHandler)) {
      this.#begun.add(keyHandler);
      keyHandler.begin?.(size);
    }
    return keyHandler.draw(size);
  }

  /** What `draw` gave is on the screen. */
  wasDrawn(): void {
    const keyHandler = this.current;
    if (keyHandler === this.#drawn) return;
    this.#drawn = keyHandler;
    this.#isSeen = false;
    const see = (): void => void (this.#isSeen ||= this.#drawn === keyHandler);
    // By the second one everything is read that was pressed before.
    if (keyHandler) setImmediate(() => setImmediate(see));
  }

  key(key: DecodedKey): void {
    const keyHandler = this.current;
    const isStop = isInterrupt(key) || key.name === 'escape';
    if (isStop) this.#typedAt = -Infinity; // whoever stops has seen what there is
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

  /** Nobody is there any more. */
  end(): void {
    for (const keyHandler of [...this.#questions, ...this.#prompts]) keyHandler.end();
  }

  #type(key: DecodedKey, prompt?: KeyHandler): void {
    this.#typedAt = this.#options.now();
    (prompt ?? this.ahead).key(key);
  }

  /** The answer to the question before, once more: nobody wants to find that in the next prompt. */
  #isRepeated(keyHandler: KeyHandler, { name }: DecodedKey): boolean {
    const isSoon = this.#options.now() - this.#answeredAt <= WORD_MS && this.#typedAt === -Infinity;
    return isSoon && keyHandler.isOneKey === true && name === this.#answer;
  }

  #mayAnswer(keyHandler: KeyHandler): boolean {
    const since = keyHandler.isOneKey === true ? Math.max(this.#typedAt, this.#answeredAt) : this.#typedAt;
    return this.#isSeen && this.#drawn === keyHandler && this.#options.now() - since > WORD_MS;
  }
}

const WORD_MS = 400; // whoever types a word makes no longer pause in it
