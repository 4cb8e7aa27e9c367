// The responses of the servers. A large result is prepared as bytes, so that it costs the server only a copy into the
// socket. Its fields are in the order of the official SDK's servers: the id comes last.
import { makeText } from '../text.mjs';

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';
const serverInfo = { name: 'bench', version: '1.0.0' };
const schema = { type: 'object', properties: { text: { type: 'string' }, bytes: { type: 'integer' } } };
const tools = ['echo', 'big'].map((name) => ({ name, description: `The ${name} of the bench`, inputSchema: schema }));
/** The fields that every result of an era has. */
const ending = {
  legacy: {},
  modern: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } },
};

/** Takes the arguments of a server process: the era, and the sizes of the large results that will be requested. */
export function makeAnswerer([era, ...sizes]) {
  const ready = new Map(sizes.map((bytes) => [Number(bytes), makeBigResult(era, Number(bytes))]));
  /** Returns the response: `text`, and the bytes prepared to go before it. undefined where none is expected. */
  return function answer(message) {
    const { id, method, params } = message;
    if (id === undefined || method === undefined) return undefined;
    if (method === 'tools/call' && params.name === 'big') {
      return { ready: ready.get(params.arguments.bytes), text: `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}` };
    }
    const result = answerSmall(era, method, params);
    const error = { code: -32_601, message: 'Method not found' };
    const outcome = result === undefined ? { error } : { result: { ...result, ...ending[era] } };
    return { text: JSON.stringify({ ...outcome, jsonrpc: '2.0', id }) };
  };
}

function makeBigResult(era, bytes) {
  const result = { content: [{ type: 'text', text: makeText(bytes) }], ...ending[era] };
  return Buffer.from(`{"result":${JSON.stringify(result)}`);
}

function answerSmall(era, method, params) {
  switch (method) {
    case 'initialize':
      return era === 'legacy' ? { protocolVersion: LEGACY, capabilities: { tools: {} }, serverInfo } : undefined;
    case 'server/discover':
      return era === 'modern'
        ? { supportedVersions: [MODERN], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'public' }
        : undefined;
    case 'ping':
      return {};
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return { content: [{ type: 'text', text: params.arguments.text }] };
    default:
      return undefined;
  }
}
