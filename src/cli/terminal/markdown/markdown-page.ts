import type { Paper } from './markdown-inline.js';

/** What other blocks stand in. */
export type Container =
  | { readonly kind: 'quote' }
  | { readonly kind: 'item'; readonly indent: number; readonly sign: string; readonly number: number | undefined };

/** Rows as they are written: each behind the marks of what it stands in, with blank rows where something new begins. */
export class MarkdownPage {
  readonly paper: Paper;
  containers: readonly Container[] = [];
  #rows: string[] = [];
  /** From here on the containers have not shown their marks yet. */
  #unmarked = Infinity;
  /** Blank rows that are written if something follows, and how many containers they stand in. */
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

  /** Rows that were written, once each. */
  take(): readonly string[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  push(container: Container): void {
    if (container.kind === 'item') this.#unmarked = Math.min(this.#unmarked, this.containers.length);
    this.containers = [...this.containers, container];
  }

  /** Leaves all but so many containers. */
  closeTo(depth: number): void {
    if (this.#isUnmarked) this.write(['']); // an item without words
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

  /** A blank line, in so many containers. All of those in a row are one, unless they are `kept`. */
  leaveGap(depth: number, { isKept = false } = {}): void {
    if (!this.#isBegun || this.#isUnmarked) return;
    this.#gap = { lines: isKept ? (this.#gap?.lines ?? 0) + 1 : 1, depth };
  }

  /** What follows is set off in any case. */
  setOff(): void {
    if (!this.#gap) this.leaveGap(this.containers.length);
  }

  /** Of blank lines that were kept, one is enough before something else. */
  narrowGap(): void {
    if (this.#gap) this.#gap = { ...this.#gap, lines: 1 };
  }

  /** Columns for words. */
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
const NARROWEST = 12; // columns for words, however deep they stand

function markWidth(container: Container): number {
  return container.kind === 'item' && container.number !== undefined ? String(container.number).length + 2 : 2;
}
