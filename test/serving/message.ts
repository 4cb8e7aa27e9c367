import type { JsonObject } from '../../src/base/json.js';

/** A JSON-RPC message as tests read it. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params: JsonObject;
  readonly result: {
    readonly protocolVersion: string;
    readonly supportedVersions: readonly string[];
    readonly instructions: string;
    readonly resultType: string;
    readonly requestState: string;
    readonly inputRequests: Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>;
    readonly content: readonly { readonly text: string }[];
  };
  readonly error: { readonly code: number; readonly message: string; readonly data: JsonObject };
}
