import type { Output } from '../io.js';

/** Colours where they are wanted. No meaning depends on a colour: a word always says the same. */
export type Style = Readonly<
  Record<
    'bold' | 'dim' | 'italic' | 'underline' | 'inverse' | 'cyan' | 'red' | 'green' | 'yellow',
    (text: string) => string
  >
>;

export interface StyleOptions extends PlainOptions {
  readonly noColor: boolean;
}

export interface PlainOptions {
  readonly env: { readonly [name: string]: string | undefined };
  /** `--plain`. */
  readonly isPlain?: boolean | undefined;
}

/** Whether lines follow each other, with words alone: for a screen reader, a log, or a terminal that cannot redraw. */
export function isPlain({ env, isPlain: isWanted = false }: PlainOptions): boolean {
  return isWanted || env['TERM'] === 'dumb';
}

export function styleFor(output: Output, options: StyleOptions): Style {
  const { env, noColor } = options;
  const wanted = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0';
  const unwanted = noColor || (env['NO_COLOR'] ?? '') !== '' || isPlain(options);
  const on = !unwanted && (wanted || output.isTerminal);
  const paint = (open: number, close: number) => (text: string) =>
    on ? `\u001B[${open}m${text}\u001B[${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    italic: paint(3, 23),
    underline: paint(4, 24),
    inverse: paint(7, 27),
    cyan: paint(36, 39),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
  };
}

/** The longest line to print: the terminal's width, or Infinity for a file or a pipe. */
export function screenColumns({ isTerminal, columns }: Output): number {
  return isTerminal ? columns || COLUMNS : Infinity;
}

const COLUMNS = 80; // for a terminal that does not report its width
