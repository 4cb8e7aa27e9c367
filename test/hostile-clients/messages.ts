import type { JsonObject } from '../../src/base/json.js';
import { envelope } from '../serving/http-fixture.js';

export function ping(id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });
}

export interface ModernCall {
  readonly id?: unknown;
  readonly arguments?: JsonObject;
  readonly meta?: JsonObject;
  readonly more?: JsonObject;
}

/** The body of a modern call of a tool. */
export function modernBody(
  name: string,
  { id = 1, arguments: given = {}, meta = {}, more = {} }: ModernCall = {},
): string {
  const own = { ...envelope({ elicitation: {}, roots: {} }), ...meta };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: given, ...more, _meta: own },
  });
}

/** As lines. */
export function modernHeaders(name: string, method = 'tools/call'): readonly string[] {
  return [`MCP-Protocol-Version: 2026-07-28`, `Mcp-Method: ${method}`, `Mcp-Name: ${name}`];
}

export function legacyCall(id: unknown, name: string, given: JsonObject = {}): JsonObject {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } };
}
