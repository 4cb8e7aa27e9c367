import type { JsonObject } from '../../../src/base/json.js';
import type { RequestId } from '../../../src/wire/message.js';

/** What the fixture does differently in each era. */
export interface Manners {
  /** Whether a message belongs to this era. */
  owns(message: JsonObject): boolean;
  /** The result of a method that only this era has; undefined for other methods. Throws an `RpcError`. */
  answer(request: FixtureRequest): Promise<object> | undefined;
  /** Takes a notification. */
  receive(method: string, params: JsonObject): void;
  /** A result with the fields that this era adds. */
  dress(method: string, result: object): object;
  /** Sends a notification that belongs to no call. */
  announce(method: string, params?: JsonObject): void;
}

export interface FixtureRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}
