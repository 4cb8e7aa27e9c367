/** A number of tokens that a context window can have; undefined for anything else that an API may say. */
export function toContextSize(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return undefined;
  return value >= SMALLEST && value <= LARGEST ? value : undefined;
}

const SMALLEST = 256; // smaller than any model that can follow an instruction
const LARGEST = 100_000_000; // ten times the largest window of a model that can be used
