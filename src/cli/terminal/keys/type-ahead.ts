import { edit, type Editor, newEditor, insertText } from './editor.js';
import { cleanTypedText, type DecodedKey } from './keys.js';

/** Keeps what is typed while there is no prompt: it becomes the text of the next one. */
export class TypeAhead {
  #editor: Editor = newEditor();

  key(key: DecodedKey): void {
    const isEnter = key.name === 'return';
    this.#editor = isEnter ? insertText(this.#editor, '\n') : (edit(this.#editor, key) ?? this.#editor);
  }

  /** Puts the text of a closed prompt before what is typed after it. */
  keep(text: string): void {
    this.#editor = newEditor(cleanTypedText(text) + this.#editor.text);
  }

  /** The whole text without a final Enter: the user has not seen yet what it would send. */
  take(): string {
    const text = this.#editor.text.replace(/\n+$/u, '');
    this.#editor = newEditor();
    return text;
  }
}
