import type { ShownBlock } from '../../model/value/shown-block.js';
import { type BlockTextOptions, toBlockText } from '../../model/value/turn-line.js';
import { toPrint } from '../../model/view/view-tool.js';

/** A turn of a conversation, for the ledger. */
export interface RecordedTurn extends Pick<BlockTextOptions, 'isOfFork' | 'ownNameOf'> {
  /** The same object in every turn of a conversation. */
  readonly shown: ShownBlock;
  /** Tokens by server: what its changes in this turn would have cost. */
  readonly changed: ReadonlyMap<string, number>;
}

/**
 * Says when the line of a block has to be written. It is written again after some turns or some time, because the file
 * that had it is deleted one day while the conversation goes on.
 */
export class BlockLines {
  readonly #quote: (name: string) => string;
  readonly #ids = new WeakMap<ShownBlock, string>();
  /** By id, those used last at the end: conversations with the same tools share one. */
  readonly #blocks = new Map<string, WrittenBlock>();

  /** `quote`: a name as the ledger writes it. */
  constructor(quote: (name: string) => string) {
    this.#quote = quote;
  }

  /** The id of the turn's block, and its text where that has to be written first. `wall` in milliseconds. */
  next(turn: RecordedTurn, wall: number): { readonly block: string; readonly text: string | undefined } {
    const known = this.#ids.get(turn.shown);
    const written = known === undefined ? undefined : this.#blocks.get(known);
    if (known !== undefined && written && isFresh(written, wall)) {
      written.turns++;
      return { block: known, text: undefined };
    }
    const text = written?.text ?? toBlockText(turn.shown, { ...turn, quote: this.#quote });
    const block = known ?? toPrint(text).toString(36);
    this.#ids.set(turn.shown, block);
    // Another conversation may have the same block.
    const same = this.#blocks.get(block);
    if (known === undefined && same && isFresh(same, wall)) {
      same.turns++;
      return { block, text: undefined };
    }
    this.#keep(block, { text, turns: 1, wall });
    return { block, text };
  }

  #keep(block: string, written: WrittenBlock): void {
    this.#blocks.delete(block);
    this.#blocks.set(block, written);
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > BLOCKS && oldest !== undefined) this.#blocks.delete(oldest);
  }
}

interface WrittenBlock {
  readonly text: string;
  /** How many turns have referred to the line. */
  turns: number;
  /** When it was written. */
  readonly wall: number;
}

function isFresh({ turns, wall: then }: WrittenBlock, wall: number): boolean {
  return turns < TURNS && Math.abs(wall - then) < LONGEST_MS;
}

const TURNS = 50; // a line of 2 kB for 50 turns of 100 bytes
const LONGEST_MS = 3_600_000; // a busy host can fill a file of the ledger in that time
const BLOCKS = 64; // 2 MB at most
