import type { KeyHandlerFrame } from '../compose.js';
import type { Size } from '../footer.js';
import type { DecodedKey } from './keys.js';
import { countTooMany, wrapQuestion } from '../question-rows.js';
import { isInterrupt, left, type KeyHandler, type KeyHandlerPorts } from './key-handler.js';
import { textWidth } from '../text/text-width.js';

export interface KeyQuestionOptions<Choice extends string> extends KeyHandlerPorts<Choice> {
  readonly rows: () => readonly string[];
  readonly keys: Readonly<Record<string, Choice>>;
  /** Takes a key that is no answer. */
  readonly otherKey?: ((key: DecodedKey) => void) | undefined;
  /** Whether question and answer are removed when it is answered. */
  readonly isFolded?: boolean;
}

/** Asks for one of several keys. */
export class KeyQuestion<Choice extends string> implements KeyHandler {
  readonly isOneKey = true;
  readonly #options: KeyQuestionOptions<Choice>;
  /** Rows that are already printed. */
  #printed = 0;

  constructor(options: KeyQuestionOptions<Choice>) {
    this.#options = options;
  }

  begin(size: Size): void {
    const rows = this.#options.rows();
    this.#printed = countTooMany(rows, size);
    if (this.#printed > 0) this.#options.print(rows.slice(0, this.#printed).join('\n'));
  }

  draw(size: Size): KeyHandlerFrame {
    const rows = wrapQuestion(this.#options.rows().slice(this.#printed), size);
    const column = Math.min(textWidth(rows.at(-1) ?? ''), size.columns - 1);
    return { rows, cursor: { row: Math.max(rows.length - 1, 0), column } };
  }

  key(key: DecodedKey): void {
    if (key.name === 'paste') return; // pasted text is no answer
    const { keys, print, resolve, rows, otherKey, isFolded = false } = this.#options;
    const isPlain = !key.ctrl && !key.meta;
    const name = [key.text, key.name].find((one) => isPlain && Object.hasOwn(keys, one));
    if (name !== undefined) {
      const shown = rows().slice(this.#printed);
      const last = shown.at(-1) ?? '';
      const answered = `${last}${last === '' || last.endsWith(' ') ? '' : ' '}${name}`;
      if (!isFolded) print([...shown.slice(0, -1), answered].join('\n'));
      resolve(keys[name]!);
    } else if (isInterrupt(key) || key.name === 'escape' || (key.ctrl && key.name === 'd')) this.end();
    else if (isPlain) otherKey?.(key);
  }

  end(): void {
    this.#options.reject(left());
  }
}
