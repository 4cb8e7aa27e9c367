import { capabilities, instructions, serverInfo } from './tools.js';
import { RpcError } from './tool-turn.js';

const good = {
  supportedVersions: ['2026-07-28'],
  capabilities,
  instructions,
  ttlMs: 60_000,
  cacheScope: 'public',
  _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
};

/** Responses to `server/discover`. `times`: how often it was requested before. */
export const discoveries = {
  'all that is asked': () => good,
  'versions of both eras': () => ({ ...good, supportedVersions: ['2025-11-25', '2026-07-28'] }),
  'versions of the old era': () => ({ ...good, supportedVersions: ['2025-11-25', '2025-06-18'] }),
  'a version that nobody knows': () => ({ ...good, supportedVersions: ['2099-01-01'] }),
  'no versions': () => ({}),
  'versions that are no list': () => ({ ...good, supportedVersions: '2026-07-28' }),
  'its name in the wrong place': () => ({ ...good, _meta: {}, serverInfo }),
  'another version first': (times) => (times === 0 ? unsupported(['2026-07-28']) : good),
  'only versions of the old era first': () => unsupported(['2025-11-25', '2024-11-05']),
  'only a version that nobody knows': () => unsupported(['2099-01-01']),
  'no version, and no list of them': () => fail(-32022, 'Unsupported protocol version'),
  'no such method': () => fail(-32601, 'Method not found'),
  'wrong parameters': () => fail(-32602, 'Invalid request parameters'),
  'not initialized': () => fail(-32000, 'Bad Request: Server not initialized'),
  'a fault of its own': () => fail(-32603, "Cannot read properties of undefined (reading 'name')"),
  'a refusal of its own': () => fail(-32099, 'closed on Sundays'),
} as const satisfies Record<string, (times: number) => object>;

export type Discovery = keyof typeof discoveries;

function unsupported(supported: readonly string[]): never {
  return fail(-32022, 'Unsupported protocol version', { supported, requested: '2026-07-28' });
}

function fail(code: number, message: string, data?: unknown): never {
  throw new RpcError({ code, message, ...(data !== undefined && { data }) });
}
