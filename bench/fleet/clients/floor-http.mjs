// The floor over HTTP: node:http with an agent that keeps connections, all servers at once. No bounds, no checks, no
// deadlines.
import { Agent, request } from 'node:http';
import { INITIALIZE, INITIALIZED, LIST } from './messages.mjs';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const agent = new Agent({ keepAlive: true });

export async function openMany({ servers }) {
  const lists = await Promise.all(servers.map(open));
  return { tools: lists.reduce((sum, tools) => sum + tools.length, 0) };
}

async function open({ url }) {
  const { session } = await post(url, INITIALIZE);
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  await post(url, INITIALIZED, headers);
  const { text } = await post(url, LIST, headers);
  return JSON.parse(text).result.tools;
}

function post(url, body, headers = {}) {
  const sent = { ...HEADERS, ...headers, 'content-length': Buffer.byteLength(body) };
  return new Promise((done, failed) => {
    const asked = request(url, { method: 'POST', agent, headers: sent }, (response) => {
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('end', () =>
        done({ session: response.headers['mcp-session-id'], text: Buffer.concat(pieces).toString() }),
      );
    });
    asked.on('error', failed);
    asked.end(body);
  });
}
