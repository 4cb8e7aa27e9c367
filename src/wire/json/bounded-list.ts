import type { OpenContainer } from './open-container.js';
import { CLOSE_BRACKET } from './json-bytes.js';

/** What has been kept of a value with a list. */
export class BoundedList {
  readonly #items: number;
  /** The array that is being built has all the items that it may have. */
  #isLong = false;
  #weight = 0;
  /** The weight before the item that is being built. */
  #before = 0;
  #beside = 0;

  constructor(items: number) {
    this.#items = items;
  }

  /** The rest of the array is left out. */
  get isFull(): boolean {
    return this.#isLong || this.#weight > LIST_LIMIT;
  }

  /** Whether what begins with this character, inside so many frames, is left out. The end of a list never is. */
  isLeftOut(depth: number, code: number): boolean {
    if (depth <= LIST_LEVEL) return false;
    const isInItem = depth > LIST_LEVEL + 1;
    if (this.isFull) return isInItem || code !== CLOSE_BRACKET;
    return isInItem && this.#weight - this.#before > ITEM_LIMIT;
  }

  /** The fields beside the list take too much. */
  get isFar(): boolean {
    return this.#beside > BESIDE_LIMIT;
  }

  /** `depth`: the frames around what was built. */
  weigh(weight: number, depth: number): void {
    if (depth > LIST_LEVEL) this.#weight += weight;
    else this.#beside += weight;
  }

  /** Items have been added to an array. */
  count({ isArray, value }: OpenContainer): void {
    this.#before = this.#weight;
    if (isArray && (value as unknown[]).length >= this.#items) this.#isLong = true;
  }

  /** What was built of an item is dropped. */
  drop(): void {
    this.#weight = this.#before;
  }

  /** Another array may follow in the same value. */
  endArray(): void {
    this.#isLong = false;
  }
}

/** Frames around a list: of the message, and of its result. */
export const LIST_LEVEL = 2;
// In bytes of text, and NODE_COST for each value.
const LIST_LIMIT = 64_000_000;
export const ITEM_LIMIT = 8_000_000; // an object of a million keys would block the event loop each time that its table grows
const BESIDE_LIMIT = 8_000_000;
