// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
import { isObject } from '../../base/json.js';
import type { IncomingRequest } from '../http/http-turn.js';

/** Where a request's headers and body disagree, which a server has to check; empty when they agree. */
export function routingFaults({ headers }: IncomingRequest, message: unknown): readonly string[] {
  const { method, params } = isObject(message) ? message : ({} as Record<string, unknown>);
  if (typeof method !== 'string') return ['what is sent is no request'];
  const known = isObject(params) ? params : {};
  const meta = isObject(known['_meta']) ? known['_meta'] : {};
  const version = meta['io.modelcontextprotocol/protocolVersion'];
  const name = known[NAMED_BY.get(method) ?? ''];
  return [
    ...(version === undefined || headers['mcp-protocol-version'] === version ? [] : ['MCP-Protocol-Version']),
    ...(headers['mcp-method'] === method ? [] : ['Mcp-Method']),
    ...(typeof name !== 'string' || decodeHeader(headers['mcp-name']) === name ? [] : ['Mcp-Name']),
  ];
}

/** The value of a header, decoded from base64 if necessary; undefined when it is absent or wrongly encoded. */
export function decodeHeader(header: string | undefined): string | undefined {
  const packed = /^=\?base64\?(.*)\?=$/su.exec(header ?? '')?.[1];
  if (packed === undefined) return header;
  const bytes = Buffer.from(packed, 'base64');
  return bytes.toString('base64') === packed ? bytes.toString('utf8') : undefined;
}

const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);
