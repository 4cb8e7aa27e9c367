import type { ViewedTool } from './model-view-server.js';

export interface BlockLimits {
  /** The most bytes of all definitions. */
  readonly bytes: number;
  /** The most tools. */
  readonly count: number;
  /** Whether a part is left for tools that a search will find. */
  readonly leavesRoom: boolean;
}

/** Counts what the tools of a request take. */
export class BlockRoom {
  readonly #limits: BlockLimits;
  #bytes = BRACKETS;
  #count = 0;

  constructor(limits: BlockLimits) {
    this.#limits = limits;
  }

  /** Whether all these can be shown before anybody has searched for them. */
  hasFor(tools: readonly ViewedTool[]): boolean {
    return this.#fits(tools.length, sizeOf(tools), this.#forUnsought);
  }

  /** Whether a tool that a search finds can be shown. */
  hasForFound(tool: ViewedTool): boolean {
    return this.#fits(1, sizeOf([tool]), this.#limits.bytes);
  }

  take(tools: readonly ViewedTool[]): void {
    this.#count += tools.length;
    this.#bytes += sizeOf(tools);
  }

  /** Takes each tool for which there is room, in this order. */
  takeFitting(tools: readonly ViewedTool[]): ViewedTool[] {
    return tools.filter((tool) => {
      const isTaken = this.hasFor([tool]);
      if (isTaken) this.take([tool]);
      return isTaken;
    });
  }

  /** The limit that is nearer, in a clause. */
  get limitText(): string {
    const { bytes, count } = this.#limits;
    if (this.#count >= count) return `The API takes at most ${count} tools`;
    return `All definitions together may have ${bytes} bytes`;
  }

  get #forUnsought(): number {
    const { bytes, leavesRoom } = this.#limits;
    return leavesRoom ? bytes * UNSOUGHT : bytes;
  }

  #fits(count: number, bytes: number, limit: number): boolean {
    return this.#count + count <= this.#limits.count && this.#bytes + bytes <= limit;
  }
}

/** Tells a model that it cannot use these tools; `others`: those that the same search has found, and that it can. */
export function toNoRoom(names: readonly string[], { others }: { readonly others: readonly string[] }): string {
  const more = names.length - NAMED;
  const told = names.slice(0, NAMED).join(', ') + (more > 0 ? `, and ${more} more` : '');
  const rest = others.length === 0 ? '' : ` To call the others, load them first: select:${others.join(',')}`;
  return `[There is no room for these tools in this conversation any more: ${told}. They cannot be called in it.${rest}]`;
}

function sizeOf(tools: readonly ViewedTool[]): number {
  return tools.reduce((sum, { bytes }) => sum + bytes + AROUND, 0);
}

const BRACKETS = 64; // around the list, in any API
const AROUND = 22; // the mark of a deferred tool, and a comma
const UNSOUGHT = 3 / 4;
const NAMED = 10;
