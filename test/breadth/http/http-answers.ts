import type { JsonObject } from '../../../src/base/json.js';
import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { type HttpHabit, NEW, refuse, sendJson, sendPage, type Visit } from './raw-http-server.js';

type Send = NonNullable<HttpHabit['send']>;

function sendText(response: ServerResponse, type: string, text: string | Buffer): void {
  response.writeHead(200, { 'Content-Type': type }).end(text);
}

/** Writes one byte at a time; the network may still join bytes. */
async function sendByteByByte(response: ServerResponse, type: string, text: string): Promise<void> {
  response.writeHead(200, { 'Content-Type': type });
  for (const byte of Buffer.from(text)) {
    response.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

const inEvents =
  (write: (message: JsonObject) => string): Send =>
  ({ response }, message) =>
    sendText(response, 'text/event-stream', write(message));

const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'working' } };

/** Answers every request with this HTTP method. */
function onVerb(verb: string, answer: (visit: Visit) => void): HttpHabit {
  return {
    take(visit) {
      if (visit.verb !== verb) return false;
      answer(visit);
      return true;
    },
  };
}

/** Answers `notifications/initialized`, a message that gets no JSON-RPC response. */
function onNotice(answer: (response: ServerResponse) => void): HttpHabit {
  return {
    take({ message, response }) {
      if (message['method'] !== 'notifications/initialized') return false;
      answer(response);
      return true;
    },
  };
}

/** Forgets its sessions after the first tool call; `tell` sends the refusal. */
function forgets(tell: (visit: Visit) => void): HttpHabit {
  return {
    take(visit) {
      const { message, headers, server } = visit;
      const isForgotten = message['method'] === 'tools/call' && !server.sessions.has(String(headers['mcp-session-id']));
      if (isForgotten) tell(visit);
      return isForgotten;
    },
    send({ response, message, server }, answer) {
      if (message['method'] === 'tools/call' && server.echoed.length === 1) server.sessions.clear();
      sendJson(response, answer);
    },
  };
}

export const httpAnswers = {
  stateless: { isStateless: true },
  'oldest-revision': { isStateless: true, revision: '2025-03-26' },
  arrays: { revision: '2025-03-26', send: ({ response }, message) => sendJson(response, [message]) },
  'arrays-in-events': {
    revision: '2025-03-26',
    send: inEvents((message) => `data: ${JSON.stringify([note, message])}\n\n`),
  },
  charset: {
    send: ({ response }, message) => sendText(response, 'Application/JSON; charset=UTF-8', JSON.stringify(message)),
  },
  'charset-in-events': {
    send: ({ response }, message) =>
      sendText(response, 'text/event-stream;charset=utf-8', `data: ${JSON.stringify(message)}\n\n`),
  },
  'byte-by-byte': {
    send: ({ response }, message) => void sendByteByByte(response, 'application/json', JSON.stringify(message)),
  },
  'byte-by-byte-in-events': {
    send: ({ response }, message) =>
      void sendByteByByte(response, 'text/event-stream', `event: message\ndata: ${JSON.stringify(message)}\n\n`),
  },
  'events-like-python': {
    send: inEvents(
      (message) => `: ping - 2031-01-01 00:00:00\r\n\r\nevent: message\r\ndata: ${JSON.stringify(message)}\r\n\r\n`,
    ),
  },
  'events-like-java': { send: inEvents((message) => `id:1\nevent:message\ndata:${JSON.stringify(message)}\n\n`) },
  'events-of-many-lines': {
    send: inEvents((message) => `data: ${JSON.stringify(message, null, 1).replaceAll('\n', '\ndata: ')}\n\n`),
  },
  'events-with-notes': {
    send: inEvents(
      (message) =>
        `\uFEFFretry: 500\nid: a\ndata:\n\ndata: ${JSON.stringify(note)}\n\ndata: ${JSON.stringify(message)}\n\n`,
    ),
  },
  gzip: {
    send({ response }, message) {
      response.setHeader('Content-Encoding', 'gzip');
      sendText(response, 'application/json', gzipSync(JSON.stringify(message)));
    },
  },
  'mark-before-json': {
    send: ({ response }, message) => sendText(response, 'application/json', `\uFEFF${JSON.stringify(message)}\n`),
  },
  'text-ids': { send: ({ response }, message) => sendJson(response, { ...message, id: String(message['id']) }) },
  'closes-every-connection': {
    send({ response }, message) {
      response.setHeader('Connection', 'close');
      sendJson(response, message);
    },
  },
  'redirects-to-a-slash': { path: '/mcp/' },
  'notices-200-json': onNotice((response) => sendJson(response, {})),
  'notices-204': onNotice((response) => void response.writeHead(204).end()),
  'notices-answered': onNotice((response) =>
    sendJson(response, { jsonrpc: '2.0', id: null, error: { code: -32_601, message: 'Method not found' } }),
  ),
  'stream-404': onVerb('GET', ({ response }) => sendPage(response, 404)),
  'stream-400': onVerb('GET', ({ response }) => void response.writeHead(400).end()),
  'stream-page': onVerb('GET', ({ response }) => sendPage(response, 200)),
  'stream-never': onVerb('GET', () => {}),
  'delete-405': onVerb('DELETE', ({ response }) => void response.writeHead(405).end()),
  'delete-404': onVerb('DELETE', ({ response }) => sendPage(response, 404)),
  'forgets-404-32001': forgets((visit) => refuse(visit, { status: 404, code: -32_001, message: 'Session not found' })),
  'forgets-404-32600': forgets((visit) => refuse(visit, { status: 404, code: -32_600, message: 'Session not found' })),
  'forgets-400-32000': forgets((visit) =>
    refuse(visit, { status: 400, code: -32_000, message: 'Bad Request: No valid session ID provided' }),
  ),
  'forgets-404-page': forgets(({ response }) => sendPage(response, 404)),
  new: { isModern: true },
  'new-in-events': { isModern: true, send: inEvents((message) => `data: ${JSON.stringify(message)}\n\n`) },
  // Both eras on one endpoint, told apart by the `MCP-Protocol-Version` header, as in the official SDK.
  both: {
    isStateless: true,
    send: ({ response }, message) => sendJson(response, message),
    take(visit) {
      const { headers, message, server } = visit;
      if (headers['mcp-protocol-version'] !== NEW) return false;
      if (message['method'] === 'server/discover') {
        const result = { supportedVersions: [NEW, '2025-11-25'], capabilities: { tools: {} } };
        sendJson(visit.response, { jsonrpc: '2.0', id: message['id'], result });
      } else server.serve(visit);
      return true;
    },
  },
} satisfies Record<string, HttpHabit>;
