import { estimateTokens, type TokenCounts } from '../estimate-tokens.js';
import type { ModelRequest } from '../model-port.js';

/** A request as far as it fills the context. */
export type Filling = Pick<ModelRequest, 'tools' | 'system' | 'messages'>;

/**
 * How many tokens a request has: an estimate by its length, corrected by what the API counted for the last request.
 * Right for what was sent before, nearly right for what is new.
 */
export class ContextGauge {
  readonly #counts: TokenCounts = new WeakMap();
  /** Counted tokens for each estimated one. */
  #factor = 1;

  tokensOf(request: Filling): number {
    return Math.ceil(estimateTokens(request, this.#counts) * this.#factor);
  }

  /** `tokens`: what the API counted for the request; 0 where it does not count. */
  learn(request: Filling, tokens: number): void {
    if (tokens <= 0) return;
    const factor = tokens / Math.max(1, estimateTokens(request, this.#counts));
    this.#factor = Math.min(MOST, Math.max(LEAST, factor));
  }

  /** Another model counts in its own way. */
  forget(): void {
    this.#factor = 1;
  }
}

// An API that counts beyond these bounds does not count the request: a proxy that reports zeros, or a sum of requests.
const LEAST = 0.25;
const MOST = 8;
