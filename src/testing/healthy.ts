// What a good server says, as text: https://modelcontextprotocol.io/specification/2025-11-25
import { VERSION } from '../base/version.js';
import { HONEST } from './expectation.js';

/** A request of the host. The id goes back exactly as it came. */
export interface HostRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: { readonly [key: string]: unknown };
}

/** What is in no request: `GET`, or a note that nobody answers. */
export function toAsk(method: string): HostRequest {
  return { id: undefined, method, params: {} };
}

export const NEWEST = '2025-11-25';
const KNOWN: readonly unknown[] = [NEWEST, '2025-06-18', '2025-03-26', '2024-11-05'];

/** The answer to a call of a tool, in one line. */
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

/** The answer to `initialize`; `changes` replace what a good server says. */
export function initializeResult({ id, params }: HostRequest, changes: object = {}): string {
  const wanted = params['protocolVersion'];
  return success(id, {
    protocolVersion: KNOWN.includes(wanted) ? wanted : NEWEST,
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: 'plugboard-attack', version: VERSION },
    ...changes,
  });
}

/** The answer to `tools/list`, with more tools behind the usual ones. */
export function toolList(id: unknown, more: readonly unknown[] = [], rest: object = {}): string {
  return success(id, { tools: [...healthyTools, ...more], ...rest });
}

/** A tool that may be listed and does nothing when called. */
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

/** What a good server of one era answers. `counts`: what the tool `report` tells. */
export type Answerer = (ask: HostRequest, counts: () => object) => string;

/** With a handshake. A question of the newer era is a method that it does not know. */
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

/** The three tools, whatever the era. */
export function callAnswer({ id, params }: HostRequest, counts: () => object): string {
  if (params['name'] === 'attack') return answer(id);
  if (params['name'] === 'report') return answer(id, JSON.stringify(counts()));
  if (params['name'] !== 'echo') return failure(id, -32602, `Unknown tool: ${String(params['name'])}`);
  const input = params['arguments'] as { readonly text?: unknown } | undefined;
  return answer(id, String(input?.text));
}
