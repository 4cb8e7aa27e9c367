import { edit, type Editor, newEditor, insertText } from './editor.js';
import type { KeyHandlerFrame } from '../compose.js';
import type { Size } from '../footer.js';
import type { DecodedKey } from './keys.js';
import { countTooMany, wrapQuestion } from '../question-rows.js';
import { isInterrupt, left, type KeyHandler, type KeyHandlerPorts } from './key-handler.js';
import { toTextRows } from '../text/text-rows.js';

export interface LineQuestionOptions extends KeyHandlerPorts<string> {
  readonly question: string | (() => string);
  readonly isSecret: boolean;
}

/** Asks for one line. */
export class LineQuestion implements KeyHandler {
  readonly #options: LineQuestionOptions;
  #editor: Editor = newEditor();
  /** Rows of the question that are already printed. */
  #printed = 0;

  constructor(options: LineQuestionOptions) {
    this.#options = options;
  }

  begin(size: Size): void {
    const { question, print } = this.#options;
    if (typeof question === 'function') return;
    const rows = question.split('\n');
    this.#printed = countTooMany(rows, size);
    if (this.#printed > 0) print(rows.slice(0, this.#printed).join('\n'));
  }

  draw(size: Size): KeyHandlerFrame {
    const rows = wrapQuestion(this.#rows, size);
    const { text, cursor } = this.#options.isSecret ? newEditor() : this.#editor;
    const { columns } = size;
    const height = Math.max(size.rows - rows.length - MARGIN, 1);
    const written = toTextRows(text, cursor, { mark: rows.at(-1)!, indent: '', columns, height });
    const head = rows.slice(0, -1);
    return {
      rows: [...head, ...written.rows],
      cursor: { ...written.cursor, row: head.length + written.cursor.row },
    };
  }

  key(key: DecodedKey): void {
    const { text } = this.#editor;
    if (isInterrupt(key) || key.name === 'escape' || (key.ctrl && key.name === 'd' && text === '')) {
      this.end();
      return;
    }
    if (key.name === 'return') this.#answer(text);
    else if (key.name === 'paste') this.#editor = insertText(this.#editor, inOneLine(key.text));
    else if (!(key.ctrl && key.name === 'j')) this.#editor = edit(this.#editor, key) ?? this.#editor;
    this.#options.changed();
  }

  end(): void {
    this.#options.reject(left());
  }

  #answer(text: string): void {
    const { isSecret, print, resolve } = this.#options;
    print(this.#rows.join('\n') + (isSecret ? '' : text));
    resolve(text);
  }

  /** Rows of the question that are not printed yet. */
  get #rows(): readonly string[] {
    const { question } = this.#options;
    return (typeof question === 'function' ? question() : question).split('\n').slice(this.#printed);
  }
}

/** Joins pasted lines: an address that a mail has broken without blanks, words with a blank between lines. */
function inOneLine(text: string): string {
  const lines = text.replace(/\n+$/u, '').split('\n');
  const joint = lines.some((line) => /\s/u.test(line.trim())) ? ' ' : '';
  return lines.join('\n').replaceAll(/[^\S\n]*\n\s*/gu, joint);
}

const MARGIN = 2; // rows above and below
