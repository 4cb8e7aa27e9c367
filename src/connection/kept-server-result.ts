import type { JsonObject } from '../base/json.js';
import type { HostError } from '../base/errors.js';
import { redactValue } from '../model/redaction/redact-value.js';
import { type ServerResult, toServerError } from '../model/server-result.js';
import type { Redact } from './catalog/server-text.js';

/** Keeps the server's own result of one request, for callers that ask for it; of several attempts, the last. */
export class KeptServerResult {
  #result: JsonObject | undefined;
  #task: JsonObject | undefined;

  /** Undefined unless the request asks for it. */
  static for({ keepServerResult }: { readonly keepServerResult?: boolean | undefined }): KeptServerResult | undefined {
    return keepServerResult === true ? new KeptServerResult() : undefined;
  }

  /** Another attempt begins: drops what the previous one received. */
  begin(): void {
    this.#result = this.#task = undefined;
  }

  take(answer: JsonObject, redact: Redact): void {
    const { requestState } = answer;
    const result = redactValue(answer, redact) as JsonObject;
    // The state of a question that is relayed goes back to the server as it came.
    const isChanged = requestState !== undefined && result['requestState'] !== requestState;
    this.#result = isChanged ? { ...result, requestState } : result;
  }

  /** Keeps a result that is the handle of a task. */
  takeTask(answer: JsonObject, redact: Redact): void {
    this.#task = redactValue(answer, redact) as JsonObject;
  }

  /** The `serverResult` field; undefined when the server sent no response. `error`: why the request failed. */
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
