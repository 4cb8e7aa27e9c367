import type { JsonObject } from '../../src/base/json.js';
import { openServer, sendJson, type TestServer } from '../../src/transports/http/http-fixtures.js';

/** The secret in the entry of the server, which repeats it wherever it can. */
export const TOLD = 'told-in-confidence-4711';

/** Results with unknown fields. */
export const odd = {
  call: {
    content: [{ type: 'text', text: 'gold', _meta: { 'acme/block': 1 }, 'acme/colour': 'yellow' }],
    isError: false,
    _meta: { 'acme/trace': 't-1' },
    'acme/more': { deep: [{ er: true }], __proto: null },
  },
  prompt: {
    description: 'Says hello',
    messages: [{ role: 'user', content: { type: 'text', text: 'hello' }, 'acme/mood': 'fine' }],
    _meta: { 'acme/prompt': 1 },
  },
  resource: {
    contents: [{ uri: 'odd://a', mimeType: 'text/plain', text: 'alpha', _meta: { 'acme/part': 1 } }],
    _meta: { 'acme/read': 1 },
  },
  completion: { completion: { values: ['Oslo'], total: 1, hasMore: false, 'acme/rank': [9] }, _meta: { 'acme/c': 1 } },
  error: { code: -32099, message: 'no\u001b[31m gold', data: { reason: 'empty', seam: [1, 2] } },
  task: { taskId: 't1', status: 'working', createdAt: '2026-01-01T00:00:00Z', pollIntervalMs: 50, pollInterval: 50 },
} as const;

export interface OddServer extends TestServer {
  readonly entry: Record<string, unknown>;
}

/** A server that speaks only this era. `large`: how many characters the tool `large` returns. */
export async function openOdd(era: 'legacy' | 'modern', large = 0): Promise<OddServer> {
  const server = await openServer(({ method, message }, response) => {
    if (method !== 'POST') return void response.writeHead(405).end();
    if (message['id'] === undefined) return void response.writeHead(202).end();
    const said = answer(era, message, large);
    const body = 'error' in said ? { error: said['error'] } : { result: said };
    return sendJson(response, { jsonrpc: '2.0', id: message['id'], ...body });
  });
  return {
    ...server,
    entry: { type: 'http', url: server.url, era, headers: { Authorization: `Bearer ${TOLD}` } },
  };
}

function answer(era: 'legacy' | 'modern', { method, params }: JsonObject, large: number): JsonObject {
  const complete = era === 'modern' ? { resultType: 'complete' } : {};
  switch (method) {
    case 'server/discover':
      if (era === 'legacy') return UNKNOWN;
      return { ...complete, supportedVersions: ['2026-07-28'], serverInfo, capabilities };
    case 'initialize':
      return era === 'modern' ? UNKNOWN : { protocolVersion: '2025-11-25', serverInfo, capabilities };
    case 'tools/list':
      return { ...complete, tools: TOOLS.map((name) => ({ name, inputSchema: { type: 'object' }, ...special(name) })) };
    case 'prompts/list':
      return { ...complete, prompts: [{ name: 'greet' }, { name: 'sulk' }] };
    case 'resources/list':
      return { ...complete, resources: [{ uri: 'odd://a', name: 'a' }] };
    case 'resources/templates/list':
      return { ...complete, resourceTemplates: [] };
    case 'tools/call':
      return { ...complete, ...call(era, (params as JsonObject)['name'] as string, large) };
    case 'tasks/get':
      return { ...complete, ...odd.task, status: 'completed', result: { ...complete, ...odd.call } };
    case 'tasks/result':
      return { ...odd.call };
    case 'prompts/get':
      return (params as JsonObject)['name'] === 'greet' ? { ...complete, ...odd.prompt } : { error: odd.error };
    case 'resources/read':
      return (params as JsonObject)['uri'] === 'odd://a' ? { ...complete, ...odd.resource } : { error: odd.error };
    case 'completion/complete':
      return { ...complete, ...odd.completion };
    default:
      return UNKNOWN;
  }
}

function call(era: 'legacy' | 'modern', tool: string, large: number): JsonObject {
  switch (tool) {
    case 'fail':
      return { error: odd.error };
    case 'slow':
      return era === 'modern' ? { ...odd.task, resultType: 'task', 'acme/t': 1 } : { task: odd.task, 'acme/t': 1 };
    case 'tell':
      return { content: [{ type: 'text', text: 'hm' }], _meta: { echo: [`I know ${TOLD}`] } };
    case 'large':
      return { ...odd.call, content: [{ type: 'text', text: 'x'.repeat(large) }] };
    default:
      return { ...odd.call };
  }
}

function special(tool: string): JsonObject {
  return tool === 'slow' ? { execution: { taskSupport: 'required' } } : {};
}

const TOOLS = ['dig', 'fail', 'slow', 'tell', 'large'];
const UNKNOWN: JsonObject = { error: { code: -32601, message: 'Method not found' } };
const serverInfo = { name: 'odd', version: '1' };
const capabilities = {
  tools: {},
  prompts: {},
  resources: {},
  completions: {},
  tasks: { requests: { tools: { call: {} } }, cancel: {} },
};
