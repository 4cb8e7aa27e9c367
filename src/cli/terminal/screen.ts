import type { Style } from '../output/style.js';
import type { ImageDrawer } from './images/terminal-images.js';

/** Both streams of a terminal: stdin and stdout in main.ts. */
export interface TerminalStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/**
 * A user's terminal. Printed lines scroll up and stay; what is under way stands at the foot and is redrawn. One for
 * each run: disposing of it leaves the terminal as it was found.
 */
export interface Screen extends AsyncDisposable {
  /** Never 0: 80 and 24 for a pty that does not know its size. */
  readonly columns: number;
  readonly rows: number;
  readonly style: Style;
  /** The terminal cannot be redrawn (TERM=dumb): every line is written once, and there is no foot. */
  readonly isPlain: boolean;
  /**
   * Writes whole lines above the foot. Text of a server, a model or a file must be gated before: escape sequences take
   * effect. The terminal wraps lines that are too long.
   */
  print(text: string): void;
  /** Prints a text once it is known; what is printed meanwhile follows it. Undefined or rejected: nothing. */
  printLater(text: Promise<string | undefined>): void;
  /** Asked for the first image, and only then, how the terminal draws images. */
  readonly images: ImageDrawer;
  /** Sets the clipboard of the user's terminal (OSC 52), which sends no confirmation; elsewhere nothing. */
  copy(text: string): void;
  /** Sets the rows of a zone, cut to the width; undefined or none removes them. Drawn once a turn of the event loop. */
  show(zone: Zone, rows: readonly string[] | undefined): void;
  /** Calls `draw` several times a second until disposed of, for something that moves. */
  animate(draw: () => void): Disposable;
  /**
   * Asks for one line at the foot; question and answer stay on the screen, except a secret. Rejects with `cancelled` on
   * Ctrl-C, Escape, Ctrl-D, or when the signal aborts, which removes the question. Only keys pressed after it is drawn
   * count; earlier ones are kept for the next `prompt`.
   */
  ask(question: string | (() => string), options?: AskLineOptions): Promise<string>;
  /** Asks for one of several keys, without Enter; otherwise like `ask`. */
  choose<Choice extends string>(rows: readonly string[], options: ChooseKeyOptions<Choice>): Promise<Choice>;
  /** Opens a block for a dialog. */
  openBlock(): DialogBlock;
  /**
   * Asks for the user's next input: several rows, history, completion. The entered text stays on the screen; Enter
   * alone enters nothing. Rejects with `cancelled` when the signal aborts: the next prompt has what was typed.
   */
  prompt(options: PromptOptions): Promise<Prompted>;
  /** Called on Ctrl-C or Escape while no question or prompt is open, to stop what is under way. */
  onInterrupt(listener: () => void): Disposable;
  /** Called on Ctrl with this letter, also while a prompt or a question is open. Never called on a plain screen. */
  onShortcut(letter: string, listener: () => void): Disposable;
  /** Gives the whole screen to a view, such as the panel, until disposed of. Output printed meanwhile appears then. */
  openFull(view: FullView): FullScreen;
}

export const zones = ['stream', 'work', 'dialog', 'status'] as const;
/**
 * `stream`: text that is still streaming. `work`: calls under way. `dialog`: what a dialog redraws, such as a
 * countdown. `status`: one row about the session, also below the prompt.
 */
export type Zone = (typeof zones)[number];

export interface AskLineOptions {
  readonly signal?: AbortSignal | undefined;
  /** Typed text is neither shown nor kept in the history. */
  readonly isSecret?: boolean;
}

export interface ChooseKeyOptions<Choice extends string> {
  /** By key name: `y`, `n`, `return`, `1`. */
  readonly keys: Readonly<Record<string, Choice>>;
  /** Words that can be typed instead of a key, where the answer is a line: `yes`. */
  readonly words?: Readonly<Record<string, Choice>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a dialog shows, above its question. It stands at the foot until it is folded to one line; what does not fit there
 * is printed. Where nothing can be redrawn, all of it is printed.
 */
export interface DialogBlock extends Disposable {
  /** Adds whole lines, as `Screen.print` does. A line that is too long continues with its mark, such as a bar. */
  print(text: string): void;
  /** Shows this above the lines, and gives it the keys that answer no question. */
  view(view: BlockView): void;
  ask(question: string | (() => string), options?: AskLineOptions): Promise<string>;
  /** `rows`: drawn anew after each change of the view. */
  choose<Choice extends string>(rows: () => readonly string[], options: ChooseKeyOptions<Choice>): Promise<Choice>;
  /** Begins a part of the block, such as a field of a form. */
  begin(): BlockPart;
  /** Replaces the block by one line, which stays. */
  fold(line: string): void;
  /** Ends the block with this line; all of its lines stay. */
  keep(line: string): void;
}

/** What was printed since the part began. Where nothing can be redrawn, it stays as it is. */
export interface BlockPart {
  /** Replaces the part by lines that may be left out where room is short: the user has seen what they say. */
  settle(lines: readonly string[]): void;
  /** Removes the part, and those that began after it. */
  remove(): void;
}

/** A part of a dialog that keys can change: unfold, scroll. */
export interface BlockView {
  /** Rows that fit the width. `rows`: of the whole screen; Infinity where all rows are printed. */
  draw(size: { readonly columns: number; readonly rows: number }): readonly string[];
  /** Whether the key has changed what is shown. */
  key(key: Pick<Key, 'name'>): boolean;
}

export interface PromptOptions {
  /** Shown before the first row, such as `> `. */
  readonly mark: string;
  /** The newest last. */
  readonly history: readonly string[];
  readonly completions: Completer;
  readonly signal?: AbortSignal | undefined;
  /** The initial text, such as a message that could not be sent. */
  readonly draft?: string;
  /** Shown in an empty prompt: Enter sends it, typing replaces it. */
  readonly suggestion?: string | undefined;
}

/** `leave`: Ctrl-D on an empty prompt, or Ctrl-C twice. */
export type Prompted = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'leave' };

/**
 * Completions at the cursor. Called at every key: returns at once what is known, and may call `later` once with a
 * better list. Contract: must not throw.
 */
export type Completer = (
  text: string,
  cursor: number,
  later: (found: CompletionList) => void,
) => CompletionList | undefined;

export interface CompletionList {
  /** The part of the text that would be replaced. */
  readonly from: number;
  readonly to: number;
  readonly items: readonly CompletionItem[];
}

export interface CompletionItem {
  readonly text: string;
  /** A description, shown beside it; gated. */
  readonly about: string;
  /** Whether a space follows, because more arguments come. */
  readonly isWhole: boolean;
}

export interface Key {
  /** `a`, `return`, `escape`, `up`, `pageup`, `tab`, `backspace`, `space`; `paste` for a whole paste. */
  readonly name: string;
  /** The text that the key types; empty for other keys. Never an escape sequence. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
}

/** Something that fills the whole screen. */
export interface FullView {
  /** Rows from top to bottom, at most `rows`; each is cut to the width, escape sequences of `Style` left whole. */
  draw(size: { readonly columns: number; readonly rows: number }): readonly string[];
  /** Takes Ctrl-C too. Contract: must not throw. */
  key(key: Key): void;
  /** An image over the rows; asked for after each `draw`. A new object is a new image. */
  picture?(): Picture | undefined;
}

/** An image on a full screen. */
export interface Picture {
  /** The row that it begins in, counted from 0. */
  readonly row: number;
  /** From `Screen.images`. */
  readonly drawing: string;
}

export interface FullScreen extends Disposable {
  /** To be called after a change: redraws soon, and writes only the rows that differ. */
  changed(): void;
}
