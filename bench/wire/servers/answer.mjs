// What the servers answer. A large answer lies ready as bytes, so that it costs the server a copy into the socket. Its
// fields stand in the order in which the official SDK's servers write them: the id comes last.
import { makeText } from '../text.mjs';

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';
const serverInfo = { name: 'bench', version: '1.0.0' };
const schema = { type: 'object', properties: { text: { type: 'string' }, bytes: { type: 'integer' } } };
const tools = ['echo', 'big'].map((name) => ({ name, description: `The ${name} of the bench`, inputSchema: schema }));
/** What every result of an era says besides. */
const ending = {
  legacy: {},
  modern: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } },
};

/** What the arguments of a server process say: the era, and the sizes of the large answers that are asked for. */
export function makeAnswerer([era, ...sizes]) {
  const ready = new Map(sizes.map((bytes) => [Number(bytes), makeBigResult(era, Number(bytes))]));
  /** An answer: a text, and what lies ready before it. Undefined where nobody expects one. */
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
