import { isSameJson } from '../model/text/same-json.js';

/**
 * The calls that a framework was told to ask a person about. A framework makes such a call only after a yes, so a call
 * with the same id and input is approved, once.
 */
export class AskedCalls {
  readonly #inputs = new Map<string, unknown>();

  add(callId: string, input: unknown): void {
    this.#inputs.delete(callId);
    this.#inputs.set(callId, input);
    const [oldest] = this.#inputs.keys();
    if (this.#inputs.size > ASKED_LIMIT && oldest !== undefined) this.#inputs.delete(oldest);
  }

  /** Whether this call was asked about; forgets it. */
  take(callId: string | undefined, input: unknown): boolean {
    if (callId === undefined || !this.#inputs.has(callId)) return false;
    const isSame = isSameJson(this.#inputs.get(callId), input);
    this.#inputs.delete(callId);
    return isSame;
  }
}

const ASKED_LIMIT = 1_000; // a run that was rejected or abandoned never takes its calls
