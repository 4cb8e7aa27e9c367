import type { RequestId } from './message.js';

/**
 * Request ids: positive 31-bit integers, which every server can hold, with a random start and a random step, so that a
 * server cannot know the next one and answer before it is asked.
 */
export function requestIds(random: () => number = Math.random): () => number {
  let last = Math.floor(random() * LARGEST);
  return () => {
    last = (last + 1 + Math.floor(random() * LONGEST_STEP)) & LARGEST;
    return last === 0 ? (last = 1) : last;
  };
}

const LARGEST = 0x7fff_ffff;
const LONGEST_STEP = 0x10_0000;

/** Whether a server's request id is acceptable. Its length is bounded, because our response repeats it. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' ? id.length <= FOREIGN_ID_LIMIT : Number.isSafeInteger(id);
}

const FOREIGN_ID_LIMIT = 1_000;
