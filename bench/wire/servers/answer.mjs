// What both servers answer. A large answer lies ready as bytes, so that it costs the server a copy into the socket. Its
// fields stand in the order in which the official SDK's servers write them: the id comes last.
import { makeText } from '../text.mjs';

const SESSION_VERSION = '2025-11-25';
const schema = { type: 'object', properties: { text: { type: 'string' }, bytes: { type: 'integer' } } };
const tools = ['echo', 'big'].map((name) => ({ name, description: `The ${name} of the bench`, inputSchema: schema }));

/** `sizes`: of the large answers that are asked for. */
export function makeAnswerer(sizes) {
  const ready = new Map(sizes.map((bytes) => [bytes, makeBigResult(bytes)]));
  /** The pieces of an answer, texts and bytes; undefined where nobody expects one. */
  return function answer(message) {
    const { id, method, params } = message;
    if (id === undefined || method === undefined) return undefined;
    if (method === 'tools/call' && params.name === 'big') {
      return [ready.get(params.arguments.bytes), `,"jsonrpc":"2.0","id":${JSON.stringify(id)}}`];
    }
    const result = answerSmall(method, params);
    if (result !== undefined) return [JSON.stringify({ result, jsonrpc: '2.0', id })];
    return [JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } })];
  };
}

function makeBigResult(bytes) {
  const result = { content: [{ type: 'text', text: makeText(bytes) }] };
  return Buffer.from(`{"result":${JSON.stringify(result)}`);
}

function answerSmall(method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: SESSION_VERSION,
        capabilities: { tools: {} },
        serverInfo: { name: 'bench', version: '1.0.0' },
      };
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
