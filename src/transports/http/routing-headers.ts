// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
import { toHeaderValue } from '../../model/text/header-value.js';
import type { JsonRpcNotification, JsonRpcRequest } from '../../wire/message.js';
import { NAMED_BY } from '../../wire/eras/named-by.js';

/**
 * Headers that let proxies in front of a modern server route without reading the body: the method and its object. A
 * server refuses a request whose headers and body disagree, so both are made from the same message.
 */
export function routingHeaders(
  { method, params }: JsonRpcRequest | JsonRpcNotification,
  more: readonly string[] = [],
): readonly string[] {
  const field = NAMED_BY.get(method);
  const name: unknown = field === undefined ? undefined : (params as { [field: string]: unknown } | undefined)?.[field];
  const named = typeof name === 'string' ? ['mcp-name', toHeaderValue(name)] : [];
  return ['mcp-method', toHeaderValue(method), ...named, ...more];
}
