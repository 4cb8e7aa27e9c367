import { edit, type Editor, newEditor, insertText } from './editor.js';
import { cleanTypedText, type DecodedKey } from './keys.js';

/** What is typed while nobody takes it: it stands in the next prompt. */
export class TypeAhead {
  #editor: Editor = newEditor();

  key(key: DecodedKey): void {
    const isEnter = key.name === 'return';
    this.#editor = isEnter ? insertText(this.#editor, '\n') : (edit(this.#editor, key) ?? this.#editor);
  }

  /** Words of a prompt that went away stand before what is typed after that. */
  keep(text: string): void {
    this.#editor = newEditor(cleanTypedText(text) + this.#editor.text);
  }

  /** All of it, without the Enter at its end: nobody has seen yet what it would send. */
  take(): string {
    const text = this.#editor.text.replace(/\n+$/u, '');
    this.#editor = newEditor();
    return text;
  }
}
