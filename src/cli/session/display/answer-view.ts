import { gateText } from '../../../model/text/text-gate.js';
import { MarkdownStream } from '../../terminal/markdown/markdown.js';
import type { Screen } from '../../terminal/screen.js';
import { wrapText } from '../../terminal/text/text-width.js';

export interface WordsOptions {
  readonly screen: Pick<Screen, 'columns' | 'style'>;
  readonly link?: ((url: string) => string) | undefined;
}

/** The model's text and reasoning as rows: complete rows are returned, the incomplete rest is kept. */
export class AnswerView {
  readonly #options: WordsOptions;
  #words: MarkdownStream | undefined;
  #thought = '';

  constructor(options: WordsOptions) {
    this.#options = options;
  }

  say(text: string): readonly string[] {
    const { screen, link } = this.#options;
    this.#words ??= new MarkdownStream({ columns: () => screen.columns, style: screen.style, ...(link && { link }) });
    return this.#words.push(text);
  }

  /** Plain rows without Markdown: reasoning is not meant to be read again. */
  think(text: string): readonly string[] {
    const lines = (this.#thought + text).split('\n');
    const last = lines.pop()!;
    this.#thought = last.length > THOUGHT_LIMIT ? '' : last;
    return this.#toRows(last.length > THOUGHT_LIMIT ? [...lines, last] : lines);
  }

  get rest(): readonly string[] {
    return this.#words?.rest ?? this.#toRows([this.#thought]);
  }

  end(): readonly string[] {
    const rows = [...this.#toRows([this.#thought]), ...(this.#words?.end() ?? [])];
    this.#thought = '';
    this.#words = undefined;
    return rows;
  }

  #toRows(lines: readonly string[]): string[] {
    const { columns, style } = this.#options.screen;
    return lines
      .flatMap((line) => gateText(line).text.split('\n'))
      .filter((line) => line.trim() !== '')
      .flatMap((line) => wrapText(`  ${line}`, columns, 2))
      .map((row) => style.dim(row));
  }
}

const THOUGHT_LIMIT = 20_000; // characters in one line, then it is shown
