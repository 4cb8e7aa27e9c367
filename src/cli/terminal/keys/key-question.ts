import type { KeyHandlerFrame } from '../compose.js';
import type { Size } from '../footer.js';
import type { DecodedKey } from './keys.js';
import { countTooMany, wrapQuestion } from '../question-rows.js';
import { isInterrupt, left, type KeyHandler, type KeyHandlerPorts } from './key-handler.js';
import { textWidth } from '../text/text-width.js';

export interface KeyQuestionOptions<Choice extends string> extends KeyHandlerPorts<Choice> {
  readonly rows: readonly string[];
  readonly keys: Readonly<Record<string, Choice>>;
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
    const { rows, print } = this.#options;
    this.#printed = countTooMany(rows, size);
    if (this.#printed > 0) print(rows.slice(0, this.#printed).join('\n'));
  }

  draw(size: Size): KeyHandlerFrame {
    const rows = wrapQuestion(this.#options.rows.slice(this.#printed), size);
    const column = Math.min(textWidth(rows.at(-1) ?? ''), size.columns - 1);
    return { rows, cursor: { row: Math.max(rows.length - 1, 0), column } };
  }

  key(key: DecodedKey): void {
    if (key.name === 'paste') return; // pasted text is no answer
    const { keys, print, resolve, rows } = this.#options;
    const isPlain = !key.ctrl && !key.meta;
    const name = [key.text, key.name].find((one) => isPlain && Object.hasOwn(keys, one));
    if (name !== undefined) {
      const shown = rows.slice(this.#printed);
      const last = shown.at(-1) ?? '';
      print([...shown.slice(0, -1), `${last}${last === '' || last.endsWith(' ') ? '' : ' '}${name}`].join('\n'));
      resolve(keys[name]!);
    } else if (isInterrupt(key) || key.name === 'escape' || (key.ctrl && key.name === 'd')) this.end();
  }

  end(): void {
    this.#options.reject(left());
  }
}
