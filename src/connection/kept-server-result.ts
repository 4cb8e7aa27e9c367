import type { JsonObject } from '../base/json.js';
import type { HostError } from '../base/errors.js';
import { redactValue } from '../model/redaction/redact-value.js';
import { type ServerResult, toServerError } from '../model/server-result.js';
import type { Redact } from './catalog/server-text.js';

/** Keeps what a server itself answers to one request, for whoever has asked for that: of several attempts, the last. */
export class KeptServerResult {
  #result: JsonObject | undefined;
  #task: JsonObject | undefined;

  /** For a request: nothing is kept that nobody asked for. */
  static for({ keepServerResult }: { readonly keepServerResult?: boolean | undefined }): KeptServerResult | undefined {
    return keepServerResult === true ? new KeptServerResult() : undefined;
  }

  /** Another attempt: what the one before got is no answer to it. */
  begin(): void {
    this.#result = this.#task = undefined;
  }

  take(answer: JsonObject, redact: Redact): void {
    this.#result = redactValue(answer, redact) as JsonObject;
  }

  /** The answer that is the handle of a task. */
  takeTask(answer: JsonObject, redact: Redact): void {
    this.#task = redactValue(answer, redact) as JsonObject;
  }

  /** For a field of whatever is made of it; nothing where the server has answered nothing. `error`: why the request failed. */
  toField(error?: HostError): { readonly serverResult: ServerResult } | undefined {
    const told = error && toServerError(error);
    const result = told ? undefined : this.#result;
    if (!told && !result && !this.#task) return undefined;
    return {
      serverResult: {
        ...(this.#task && { task: this.#task }),
        ...(told && { error: told }),
        ...(result && { result }),
      },
    };
  }
}
