import type { JsonObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';

/** What the fixture does in one era only. */
export interface Manners {
  /** Whether a message is of this era. */
  owns(message: JsonObject): boolean;
  /** The result of a method that only this era has; undefined for any other. Throws an RpcError. */
  answer(request: FixtureRequest): Promise<object> | undefined;
  /** Hears what nobody answers. */
  receive(method: string, params: JsonObject): void;
  /** A result as this era sends it. */
  dress(method: string, result: object): object;
  /** Sends a note that belongs to no call, to whom it may concern. */
  announce(method: string, params?: JsonObject): void;
}

export interface FixtureRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}
