import type { Style } from '../../output/style.js';
import { isComplete, type Menu, menuRows, moveInMenu, openMenu, takeFromMenu } from './completion-menu.js';
import type { KeyHandlerFrame } from '../compose.js';
import { edit, type Editor, moveTo, newEditor, replace, rewrite, insertText } from './editor.js';
import type { Size } from '../footer.js';
import { type HistorySearch, type HistoryWalk, searchBack, stepThrough } from './history-walk.js';
import { cleanTypedText, type DecodedKey } from './keys.js';
import type { Prompted, PromptOptions } from '../screen.js';
import { isInterrupt, type KeyHandler, type KeyHandlerPorts } from './key-handler.js';
import { moveByRow, type TextRowOptions, toTextRows } from '../text/text-rows.js';
import { textWidth } from '../text/text-width.js';

export interface PromptEditorOptions extends KeyHandlerPorts<Prompted>, Omit<PromptOptions, 'signal' | 'draft'> {
  readonly draft: string;
  readonly style: Style;
}

/** The prompt: edits the text that the user enters. */
export class PromptEditor implements KeyHandler {
  readonly #options: PromptEditorOptions;
  #editor: Editor;
  /** The text is the suggestion, untouched. */
  #isSuggested: boolean;
  #walk: HistoryWalk | undefined;
  #search: HistorySearch | undefined;
  #menu: Menu | undefined;
  /** Number of the last completion request; results of older ones are dropped. */
  #asked = 0;
  #past: readonly string[] | undefined;
  /** A line below the prompt, until the next key. */
  #hint: string | undefined;
  /** Set after a first Ctrl-C: a second one leaves. */
  #leaving: NodeJS.Timeout | undefined;
  #size: Size = { columns: 80, rows: 24 };

  constructor(options: PromptEditorOptions) {
    this.#options = options;
    const { draft, suggestion } = options;
    this.#isSuggested = draft === '' && suggestion !== undefined;
    this.#editor = newEditor(cleanTypedText(this.#isSuggested ? (suggestion ?? '') : draft));
  }

  /** What the user has written. */
  get text(): string {
    return this.#isSuggested ? '' : this.#editor.text;
  }

  draw(size: Size): KeyHandlerFrame {
    this.#size = size;
    const { style } = this.#options;
    const { text, cursor } = this.#editor;
    const written = toTextRows(text, cursor, this.#rowOptions);
    const height = Math.max(size.rows - written.rows.length - 2, 1);
    if (this.#menu) return { ...written, below: menuRows(this.#menu, { columns: size.columns, height, style }) };
    return this.#hint === undefined ? written : { ...written, below: [style.dim(this.#hint)] };
  }

  key(key: DecodedKey): void {
    const wasLeaving = this.#stay();
    if (isInterrupt(key)) this.#interrupt(wasLeaving);
    else if (this.#search) this.#searchKey(key, this.#search);
    else if (!this.#menuKey(key)) this.#editKey(key);
    this.#options.changed();
  }

  end(): void {
    this.#stay();
    this.#menu = undefined;
    this.#asked++;
    this.#options.resolve({ kind: 'leave' });
  }

  get #rowOptions(): TextRowOptions {
    const { columns, rows } = this.#size;
    const height = Math.max(Math.floor(rows / 3), Math.min(3, rows - 3), 1);
    const mark = this.#search ? `(search: ${this.#search.query}) ` : this.#options.mark;
    return { mark, indent: ' '.repeat(textWidth(this.#options.mark)), columns, height };
  }

  /** The history with its control characters removed, computed at the first use. */
  get #history(): readonly string[] {
    return (this.#past ??= this.#options.history.map(cleanTypedText));
  }

  #stay(): boolean {
    const wasLeaving = this.#leaving !== undefined;
    clearTimeout(this.#leaving);
    this.#leaving = undefined;
    this.#hint = undefined;
    return wasLeaving;
  }

  #interrupt(wasLeaving: boolean): void {
    this.#closeMenu();
    this.#walk = undefined;
    this.#search = undefined;
    if (this.#editor.text !== '') this.#editor = rewrite(this.#editor, '');
    else if (wasLeaving) this.end();
    else {
      this.#hint = 'Ctrl-C again leaves';
      this.#leaving = setTimeout(() => {
        this.#stay();
        this.#options.changed();
      }, LEAVE_MS).unref();
    }
  }

  /** Returns whether the menu took the key. */
  #menuKey({ name, ctrl, meta, shift }: DecodedKey): boolean {
    const menu = this.#menu;
    if (!menu || meta) return false;
    if (name === 'escape') this.#closeMenu();
    else if (name === 'up' || (name === 'tab' && shift) || (ctrl && name === 'p')) this.#menu = moveInMenu(menu, -1);
    else if (name === 'down' || (ctrl && name === 'n')) this.#menu = moveInMenu(menu, 1);
    else if (name === 'tab') this.#takeItem(menu);
    else if (name === 'return' && !shift && !ctrl && (menu.isMoved || !isComplete(this.#editor, menu)))
      this.#takeItem(menu);
    else return false;
    return true;
  }

  #takeItem(menu: Menu): void {
    const before = this.#editor;
    this.#editor = takeFromMenu(before, menu);
    this.#closeMenu();
    if (this.#editor.text !== before.text) this.#complete();
  }

  #closeMenu(): void {
    this.#menu = undefined;
    this.#asked++;
  }

  #editKey(key: DecodedKey): void {
    const { name, ctrl, meta, shift } = key;
    // A typed letter begins another text; a key that moves or deletes begins to change the suggested one.
    const isReplaced = this.#isSuggested && key.text !== '' && !ctrl && !meta && name !== 'return';
    if (isReplaced) this.#editor = rewrite(this.#editor, '');
    this.#isSuggested = false;
    const { text, cursor } = this.#editor;
    if (name === 'return' && !meta && !shift && !ctrl) this.#enter();
    else if (ctrl && name === 'd' && text === '') this.end();
    else if (ctrl && name === 'r') this.#lookFor('', this.#history.length - 1);
    else if (name === 'up' || (ctrl && name === 'p')) this.#moveRow(-1);
    else if (name === 'down' || (ctrl && name === 'n')) this.#moveRow(1);
    else if (name === 'tab') this.#complete();
    else {
      const edited = name === 'return' ? insertText(this.#editor, '\n') : edit(this.#editor, key);
      if (!edited) return;
      this.#editor = edited;
      if (edited.text !== text) this.#walk = undefined;
      if (name === 'paste') this.#pasted(key, edited.text.length - text.length);
      else if (edited.text !== text || edited.cursor !== cursor) this.#complete();
    }
  }

  #pasted({ text, lost = 0 }: DecodedKey, taken: number): void {
    this.#closeMenu();
    const missing = lost + text.length - taken;
    if (missing > 0)
      this.#hint = `Cut: the last ${missing} characters of what you pasted are missing; put long texts into a file`;
  }

  #enter(): void {
    const { text, cursor } = this.#editor;
    // A backslash before Enter means a new row, for terminals that have no other key for it.
    if (text[cursor - 1] === '\\') this.#editor = replace(this.#editor, { from: cursor - 1, to: cursor, by: '\n' });
    else if (text.trim() !== '') {
      this.#closeMenu();
      this.#options.print(this.#entered(text));
      this.#options.resolve({ kind: 'text', text });
    }
  }

  /** The entered text as it stays on the screen. */
  #entered(text: string): string {
    const { mark } = this.#options;
    const indent = ' '.repeat(textWidth(mark));
    const shown = text.slice(0, ENTERED_SHOWN);
    const lines = shown.split('\n');
    const rows = lines.slice(0, ENTERED_ROWS).map((line, at) => (at === 0 ? mark : indent) + line);
    if (lines.length > ENTERED_ROWS || shown.length < text.length)
      rows.push(`${indent}… ${text.length} characters in all`);
    return rows.join('\n');
  }

  #moveRow(by: -1 | 1): void {
    this.#closeMenu();
    const { text, cursor } = this.#editor;
    const moved = moveByRow(text, cursor, { ...this.#rowOptions, by });
    if (moved !== undefined) {
      this.#editor = moveTo(this.#editor, moved);
      return;
    }
    const step = stepThrough(this.#editor, this.#walk, { history: this.#history, by });
    if (!step) return;
    this.#editor = step.editor;
    this.#walk = step.walk;
  }

  #lookFor(query: string, from: number): void {
    this.#closeMenu();
    const search = searchBack(query, from, this.#history);
    // Without a match the last one stays, so that a letter too many loses nothing.
    this.#search = { query, at: search.at ?? this.#search?.at };
    if (query !== '' && search.at !== undefined) this.#editor = rewrite(this.#editor, this.#history[search.at]!);
  }

  #searchKey(key: DecodedKey, { query, at }: HistorySearch): void {
    const { name, ctrl, meta, text } = key;
    const newest = this.#history.length - 1;
    if (ctrl && name === 'r') this.#lookFor(query, (at ?? newest + 1) - 1);
    else if (name === 'backspace') this.#lookFor(query.slice(0, -1), newest);
    else if (text !== '' && !ctrl && !meta && name !== 'paste') this.#lookFor(query + text, at ?? newest);
    else {
      this.#search = undefined;
      if (name !== 'escape') this.#editKey(key);
    }
  }

  #complete(): void {
    const { completions, changed } = this.#options;
    const { text, cursor } = this.#editor;
    const asked = ++this.#asked;
    if (text.length > COMPLETED_LENGTH) {
      this.#menu = undefined;
      return;
    }
    const found = completions(text, cursor, (later) => {
      if (asked !== this.#asked) return; // the text has changed since
      this.#menu = openMenu(this.#editor, later, this.#menu);
      changed();
    });
    if (asked === this.#asked) this.#menu = openMenu(this.#editor, found, undefined);
  }
}

const LEAVE_MS = 2_000;
const COMPLETED_LENGTH = 10_000; // characters; a long paste is not searched at every key
const ENTERED_SHOWN = 20_000; // characters of the entered text that stay on the screen
const ENTERED_ROWS = 100;
