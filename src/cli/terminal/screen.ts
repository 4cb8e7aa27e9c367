import type { Style } from '../output/style.js';

/** The two ends of a terminal: stdin and stdout themselves in main.ts. */
export interface TerminalStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/**
 * A terminal that somebody sits at. What was said scrolls up and stays; what is under way stands at the foot and is drawn anew. One for a
 * run: disposing of it leaves the terminal as it was found.
 */
export interface Screen extends AsyncDisposable {
  /** Never 0: a pty that does not know them has 80 and 24. */
  readonly columns: number;
  readonly rows: number;
  readonly style: Style;
  /** It cannot be drawn on (TERM=dumb): every line is written once, nothing stands at the foot. */
  readonly isPlain: boolean;
  /**
   * Writes whole lines, above what is at the foot. What comes from a server, a model or a file has to be gated by then: escape sequences
   * are obeyed. A line that is longer than the screen is the terminal's to break.
   */
  print(text: string): void;
  /** Rows at the foot, in the order of `zones`; each is cut to the width. Undefined or none takes them away. Drawn once in a turn of the event loop. */
  show(zone: Zone, rows: readonly string[] | undefined): void;
  /** Asks `draw` for something new to show several times a second, as long as something moves. */
  animate(draw: () => void): Disposable;
  /**
   * One line, asked for at the foot; question and answer stay on the screen (not what a secret was). Rejects with `cancelled` when somebody leaves by
   * Ctrl-C, Escape or Ctrl-D, and when the signal aborts: then nothing of it stays. Only keys that were pressed after it is drawn count: what was typed before is
   * kept for the next `prompt`.
   */
  ask(question: string | (() => string), options?: AskLineOptions): Promise<string>;
  /** One of several keys, without Enter; the same otherwise. */
  choose<Choice extends string>(rows: readonly string[], options: ChooseKeyOptions<Choice>): Promise<Choice>;
  /**
   * What the user wants next: several rows, history, completion. What was entered stays on the screen; Enter alone enters nothing. Rejects with
   * `cancelled` when the signal aborts: what was typed stands in the next one.
   */
  prompt(options: PromptOptions): Promise<Prompted>;
  /** Called by Ctrl-C (and Escape) while nobody else takes keys: something is under way that may be stopped. */
  onInterrupt(listener: () => void): Disposable;
  /** The whole screen for something else, such as a panel, until that is disposed of; then all comes back, with what was printed meanwhile. */
  openFull(view: FullView): FullScreen;
}

export const zones = ['stream', 'work', 'dialog', 'status'] as const;
/**
 * `stream`: words that are still coming. `work`: calls under way. `dialog`: what a dialog draws anew, such as a countdown. `status`: one row
 * about the session; below the prompt, too.
 */
export type Zone = (typeof zones)[number];

export interface AskLineOptions {
  readonly signal?: AbortSignal | undefined;
  /** What is typed does not show, and is in no history. */
  readonly isSecret?: boolean;
}

export interface ChooseKeyOptions<Choice extends string> {
  /** By key name: `y`, `n`, `return`, `1`. */
  readonly keys: Readonly<Record<string, Choice>>;
  readonly signal?: AbortSignal | undefined;
}

export interface PromptOptions {
  /** Stands before the first row, such as `> `. */
  readonly mark: string;
  /** The newest last. */
  readonly history: readonly string[];
  readonly completions: Completer;
  readonly signal?: AbortSignal | undefined;
  /** What stands in it at first, such as words that could not be sent. */
  readonly draft?: string;
}

/** `leave`: Ctrl-D on an empty prompt, or Ctrl-C twice. */
export type Prompted = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'leave' };

/**
 * What could stand where the cursor is. Asked at every key: answers at once with what is known, and may answer once more, by `later`, when it
 * knows better. Contract: must not throw.
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
  /** What it is about, beside it; gated. */
  readonly about: string;
  /** Whether a space follows, because more has to come. */
  readonly isWhole: boolean;
}

export interface Key {
  /** `a`, `return`, `escape`, `up`, `pageup`, `tab`, `backspace`, `space`; `paste` for all that was pasted at once. */
  readonly name: string;
  /** What it writes; empty for keys that write nothing. Never an escape sequence. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
}

/** Something that has the whole screen. */
export interface FullView {
  /** Rows from top to bottom, at most as many as there are; each is cut to the width, escape sequences of `Style` left whole. */
  draw(size: { readonly columns: number; readonly rows: number }): readonly string[];
  /** Contract: must not throw. Ctrl-C comes here, too. */
  key(key: Key): void;
}

export interface FullScreen extends Disposable {
  /** Something has changed: drawn again soon, and only the rows that differ are written. */
  changed(): void;
}
