import type { Paper } from './markdown-inline.js';

/** Blocks that contain others. */
export type Container =
  | { readonly kind: 'quote' }
  | { readonly kind: 'item'; readonly indent: number; readonly sign: string; readonly number: number | undefined };

/** The output rows: each after the marks of its containers, with blank rows between blocks. */
export class MarkdownPage {
  readonly paper: Paper;
  containers: readonly Container[] = [];
  #rows: string[] = [];
  /** Index of the first container whose mark is not written yet. */
  #unmarked = Infinity;
  /** Blank rows to write before the next row, and the number of containers around them. */
  #gap: { readonly lines: number; readonly depth: number } | undefined;
  #isBegun = false;

  constructor(paper: Paper) {
    this.paper = paper;
  }

  fork(): MarkdownPage {
    const fork = new MarkdownPage(this.paper);
    fork.containers = this.containers;
    fork.#unmarked = this.#unmarked;
    fork.#gap = this.#gap;
    fork.#isBegun = this.#isBegun;
    return fork;
  }

  /** Returns the written rows, each once. */
  take(): readonly string[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  push(container: Container): void {
    if (container.kind === 'item') this.#unmarked = Math.min(this.#unmarked, this.containers.length);
    this.containers = [...this.containers, container];
  }

  /** Closes all containers beyond `depth`. */
  closeTo(depth: number): void {
    if (this.#isUnmarked) this.write(['']); // an item without text
    this.containers = this.containers.slice(0, depth);
    if (this.#gap) this.#gap = { ...this.#gap, depth: Math.min(this.#gap.depth, depth) };
  }

  write(rows: readonly string[]): void {
    if (this.#gap) {
      const prefix = this.#prefix(Math.min(this.#gap.depth, this.#unmarked)).trimEnd();
      for (let line = 0; line < this.#gap.lines; line++) this.#rows.push(prefix);
    }
    this.#gap = undefined;
    for (const row of rows) {
      this.#rows.push(row === '' ? this.#prefix().trimEnd() : this.#prefix() + row);
      this.#unmarked = Infinity;
      this.#isBegun = true;
    }
  }

  /** A blank line within `depth` containers. Several become one, unless `isKept`. */
  leaveGap(depth: number, { isKept = false } = {}): void {
    if (!this.#isBegun || this.#isUnmarked) return;
    this.#gap = { lines: isKept ? (this.#gap?.lines ?? 0) + 1 : 1, depth };
  }

  /** Makes sure that a blank row comes before the next block. */
  setOff(): void {
    if (!this.#gap) this.leaveGap(this.containers.length);
  }

  /** Reduces kept blank lines to one before another block. */
  narrowGap(): void {
    if (this.#gap) this.#gap = { ...this.#gap, lines: 1 };
  }

  /** Columns for text. */
  get room(): number {
    const marks = this.containers.reduce((sum, container) => sum + markWidth(container), 0);
    return Math.max(this.paper.columns() - marks, NARROWEST);
  }

  get #isUnmarked(): boolean {
    return this.#unmarked < this.containers.length;
  }

  #prefix(depth = this.containers.length): string {
    let lists = 0;
    return this.containers
      .slice(0, depth)
      .map((container, at) => {
        if (container.kind === 'quote') return `${this.paper.style.dim('│')} `;
        const { number, sign } = container;
        const bullet = BULLETS[lists++ % BULLETS.length]!;
        const mark = number === undefined ? `${bullet} ` : `${number}${sign} `;
        return at >= this.#unmarked ? mark : ' '.repeat(mark.length);
      })
      .join('');
  }
}

const BULLETS = ['•', '◦', '▪'];
const NARROWEST = 12; // columns for text, however deep it is nested

function markWidth(container: Container): number {
  return container.kind === 'item' && container.number !== undefined ? String(container.number).length + 2 : 2;
}
