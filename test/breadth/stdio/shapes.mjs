// Servers whose messages have unusual shapes.
import { tools } from './raw-server.mjs';

const withTextId = (message) =>
  'id' in message && !('method' in message) ? { ...message, id: String(message.id) } : message;

/** Adds unknown fields to every object. */
function enrich(value) {
  if (Array.isArray(value)) return value.map(enrich);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, child]) => [key, enrich(child)]);
  return { ...Object.fromEntries(entries), 'x-own': { nested: [1, null, 'ü'] }, since: 2031 };
}

export const shapes = {
  'text-ids': { shape: withTextId },
  batches: { revision: '2025-03-26', shape: (message) => [message] },
  'batches-with-notes': {
    revision: '2025-03-26',
    shape: (message) => [
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'in a batch' } },
      message,
    ],
  },
  'more-fields': { shape: enrich },
  'no-server-info': { welcome: { serverInfo: undefined } },
  'no-capabilities': { welcome: { capabilities: undefined } },
  'null-capabilities': { welcome: { capabilities: null } },
  'nulls-for-nothing': {
    welcome: {
      capabilities: { tools: { listChanged: null }, prompts: null, resources: null, logging: null },
      serverInfo: { name: 'raw', version: '1', title: null },
      instructions: null,
      _meta: null,
    },
  },
  'nulls-beside': {
    shape: (message) => ('method' in message ? message : { result: null, error: null, ...message }),
  },
  'nulls-in-tools': {
    on: {
      'tools/list': ({ id }, server) => {
        const nothing = { title: null, description: null, annotations: null, icons: null, _meta: null };
        server.answer(id, { tools: [{ ...tools[0], ...nothing, outputSchema: null }], nextCursor: null });
      },
      'tools/call': ({ id, params }, server) => {
        const content = [{ type: 'text', text: params.arguments.text, annotations: null, _meta: null }];
        server.answer(id, { content, structuredContent: null, isError: null, _meta: null });
      },
    },
  },
  'id-last': { shape: ({ id, jsonrpc, ...rest }) => ({ ...rest, ...(id !== undefined && { id }), jsonrpc }) },
  'no-jsonrpc': { shape: (message) => ({ ...message, jsonrpc: undefined }) },
  ...Object.fromEntries(
    ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '1999-01-01'].map((revision) => [
      `speaks-${revision}`,
      { revision },
    ]),
  ),
  'speaks-whatever-is-asked-for': {
    on: {
      initialize: ({ id, params }, server) => {
        server.state = 'greeted';
        server.answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} } });
      },
    },
  },
};
