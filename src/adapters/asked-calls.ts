import { isSameJson } from '../model/text/same-json.js';

/** A call as a framework tells of it. */
interface AskedCall {
  readonly name: string;
  readonly callId: string | undefined;
  readonly input: unknown;
}

/**
 * The calls that a framework was told to ask a person about. A framework makes such a call only after a yes, so a call
 * of the same tool with the same id and input is approved, once. A model may give two calls one id.
 */
export class AskedCalls {
  readonly #inputs = new Map<string, unknown>();

  add(call: AskedCall & { readonly callId: string }): void {
    const key = keyOf(call);
    this.#inputs.delete(key);
    this.#inputs.set(key, call.input);
    const [oldest] = this.#inputs.keys();
    if (this.#inputs.size > ASKED_LIMIT && oldest !== undefined) this.#inputs.delete(oldest);
  }

  /** Whether this call was asked about; forgets it. */
  take(call: AskedCall): boolean {
    const key = keyOf(call);
    if (call.callId === undefined || !this.#inputs.has(key)) return false;
    const isSame = isSameJson(this.#inputs.get(key), call.input);
    this.#inputs.delete(key);
    return isSame;
  }
}

function keyOf({ name, callId }: AskedCall): string {
  return JSON.stringify([name, callId]);
}

const ASKED_LIMIT = 1_000; // a run that was rejected or abandoned never takes its calls
