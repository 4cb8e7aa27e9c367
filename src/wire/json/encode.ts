import { HostError } from '../../base/errors.js';
import type { JsonRpcMessage, JsonRpcRequest } from '../message.js';

/** A request as JSON. Writing the envelope by hand is faster than JSON.stringify of the whole. */
export function encodeRequest({ id, method, params }: JsonRpcRequest): string {
  const head = typeof id === 'number' ? `{"jsonrpc":"2.0","id":${id}` : `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;
  const body = params === undefined ? '' : `,"params":${stringify(params)}`;
  return `${head},"method":${JSON.stringify(method)}${body}}`;
}

export function encode(message: JsonRpcMessage): string {
  return stringify(message);
}

/** Throws a HostError for what JSON cannot represent: cycles, BigInt, extreme nesting. */
function stringify(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new HostError('usage', 'The arguments cannot be written as JSON', {
      hint: 'Pass plain values: no circles, no BigInt',
      cause,
    });
  }
}
