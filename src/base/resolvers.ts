/**
 * Receives how something ended: one of the two is called, once. The functions of a promise, or an object that stands in
 * for one where a promise for each layer would be memory that ten thousand calls in flight hold. Contract: neither
 * throws.
 */
export interface Resolvers<Result> {
  resolve(result: Result): void;
  reject(error: unknown): void;
}
