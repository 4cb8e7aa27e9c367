// The messages of a healthy server, as JSON: https://modelcontextprotocol.io/specification/2025-11-25
import { VERSION } from '../base/version.js';
import { HONEST } from './expectation.js';

/** A request from the host. The response repeats `id` exactly. */
export interface HostRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: { readonly [key: string]: unknown };
}

/** Stands for what is no JSON-RPC request: an HTTP method such as `GET`, or a notification. */
export function toAsk(method: string): HostRequest {
  return { id: undefined, method, params: {} };
}

export const NEWEST = '2025-11-25';
const KNOWN: readonly unknown[] = [NEWEST, '2025-06-18', '2025-03-26', '2024-11-05'];

/** The response to a tool call, in one line. */
export function answer(id: unknown, text: string = HONEST): string {
  return success(id, { content: [{ type: 'text', text }] });
}

export function success(id: unknown, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function failure(id: unknown, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
}

export function notification(method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

export function request(id: unknown, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** The response to `initialize`; `changes` replace fields of a healthy result. */
export function initializeResult({ id, params }: HostRequest, changes: object = {}): string {
  const wanted = params['protocolVersion'];
  return success(id, {
    protocolVersion: KNOWN.includes(wanted) ? wanted : NEWEST,
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: 'plugboard-attack', version: VERSION },
    ...changes,
  });
}

/** The response to `tools/list`, with `more` after the usual tools. */
export function toolList(id: unknown, more: readonly unknown[] = [], rest: object = {}): string {
  return success(id, { tools: [...healthyTools, ...more], ...rest });
}

/** The definition of a tool that can be listed; `changes` replace its fields. */
export function tool(name: unknown, changes: object = {}): object {
  return { name, description: 'A tool', inputSchema: { type: 'object' }, ...changes };
}

export const healthyTools: readonly object[] = [
  tool('echo', {
    description: 'Gives back the text',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  }),
  tool('attack', {
    description: 'Does what this mode is about',
    inputSchema: { type: 'object', properties: { padding: { type: 'string' } } },
  }),
  tool('report', { description: 'Counts what the host has sent so far' }),
];

/** Returns the response of a healthy server of one era. `counts`: what the tool `report` returns. */
export type Answerer = (ask: HostRequest, counts: () => object) => string;

/** The legacy era, with a handshake: `server/discover` is an unknown method. */
export const healthyAnswer: Answerer = (ask, counts) => {
  switch (ask.method) {
    case 'initialize':
      return initializeResult(ask);
    case 'tools/list':
      return toolList(ask.id);
    case 'ping':
    case 'logging/setLevel':
      return success(ask.id, {});
    case 'tools/call':
      return callAnswer(ask, counts);
    default:
      return failure(ask.id, -32601, 'Method not found');
  }
};

/** The response to a call of one of the three tools, before an era adds its own fields. */
export function callAnswer({ id, params }: HostRequest, counts: () => object): string {
  if (params['name'] === 'attack') return answer(id);
  if (params['name'] === 'report') return answer(id, JSON.stringify(counts()));
  if (params['name'] !== 'echo') return failure(id, -32602, `Unknown tool: ${String(params['name'])}`);
  const input = params['arguments'] as { readonly text?: unknown } | undefined;
  return answer(id, String(input?.text));
}
