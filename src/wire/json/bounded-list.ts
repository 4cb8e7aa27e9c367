import { type OpenContainer, removeLast } from './open-container.js';
import { CLOSE_BRACKET, COMMA } from './json-bytes.js';
import { NODE_COST } from './json-bounds.js';
import type { ListTreatment } from './json-treatment.js';

/** A place in a message where something of a list may be left out. */
export interface ListToken {
  readonly code: number;
  /** Bytes of the message before the token. */
  readonly position: number;
  /** A value has just ended. */
  readonly isEnd: boolean;
}

/**
 * What has been kept of a value with a list. What an item weighs follows from its bytes and its values alone: however a
 * message comes in chunks, its list is cut at the same item.
 */
export class BoundedList {
  readonly #items: number;
  readonly #listBytes: number;
  readonly #itemBytes: number;
  /** The array that is being built has all the items that it may have. */
  #isLong = false;
  #isHeavy = false;
  /** The weight at a position, less the position. */
  #weight = 0;
  /** The weight before the item that is being built. */
  #before = 0;
  #beside = 0;

  constructor({ items, listBytes = LIST_LIMIT, itemBytes = ITEM_LIMIT }: ListTreatment) {
    this.#items = items;
    this.#listBytes = listBytes;
    this.#itemBytes = itemBytes;
  }

  /** The rest of the array is left out. */
  get isFull(): boolean {
    return this.#isLong || this.#isHeavy;
  }

  /** The fields beside the list take too much. */
  get isFar(): boolean {
    return this.#beside > BESIDE_LIMIT;
  }

  /**
   * Whether what begins with this token, inside of these frames, is left out. The end of an array with enough items
   * never is. An item that has ended, and is one too many, is removed.
   */
  isLeftOut(frames: readonly OpenContainer[], { code, position, isEnd }: ListToken): boolean {
    if (frames.length <= LIST_LEVEL) return false;
    const isInItem = frames.length > LIST_LEVEL + 1;
    if (this.isFull) return isEnd ? code === COMMA : code !== CLOSE_BRACKET;
    const weight = this.#weight + position;
    this.#isHeavy = (isInItem || isEnd) && weight > this.#listBytes;
    if (this.#isHeavy) {
      if (!isInItem) removeLast(frames[LIST_LEVEL]!);
      return true;
    }
    if (isInItem) return weight - this.#before > this.#itemBytes;
    if (isEnd) this.#before = weight;
    return false;
  }

  /** Whether nothing is left out before this position, with so many values more. */
  fits(position: number, nodes: number): boolean {
    const weight = this.#weight + position + nodes * NODE_COST;
    return weight <= this.#listBytes && weight - this.#before <= this.#itemBytes;
  }

  hasRoomFor(more: object, { isArray, value }: OpenContainer): boolean {
    return !isArray || (value as unknown[]).length + (more as unknown[]).length <= this.#items;
  }

  /** An array, or another container in the same value, begins. */
  begin(position: number): void {
    this.#before = this.#weight;
    this.#weight -= position;
  }

  /** `depth`: the frames around the values. */
  addNodes(nodes: number, depth: number): void {
    if (depth > LIST_LEVEL) this.#weight += nodes * NODE_COST;
    else this.#beside += nodes * NODE_COST;
  }

  /** A key or a text was read. In the list its bytes count by their position. */
  addText(bytes: number, depth: number): void {
    if (depth <= LIST_LEVEL) this.#beside += bytes;
  }

  /** Items have been added to an array. */
  count({ isArray, value }: OpenContainer): void {
    if (isArray && (value as unknown[]).length >= this.#items) this.#isLong = true;
  }

  /** What came since the last item that is kept does not count. */
  drop(position: number): void {
    this.#weight = this.#before - position;
  }

  /** Another array may follow in the same value. */
  end(position: number): void {
    this.#weight += position;
    this.#isLong = false;
  }
}

/** Frames around a list: of the message, and of its result. */
export const LIST_LEVEL = 2;
// In bytes of text, and NODE_COST for each value.
const LIST_LIMIT = 64_000_000;
export const ITEM_LIMIT = 8_000_000; // an object of a million keys would block the event loop each time that its table grows
const BESIDE_LIMIT = 8_000_000;
