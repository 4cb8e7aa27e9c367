import { accountCredentials } from '../../../src/model/account.js';
import { HostError } from '../../../src/base/errors.js';
import { unreachable } from '../../../src/base/never.js';
import { Secret } from '../../../src/base/secret.js';
import { callTool } from '../../../src/connection/requests/call-tool.js';
import { connect, type Connection } from '../../../src/connection/connect.js';
import { listTools } from '../../../src/connection/catalog/tool-definition.js';
import { systemClock } from '../../../src/edge/clock.js';
import { ProcessRegistry } from '../../../src/edge/processes/process-registry.js';
import type { OpenContext } from '../../../src/transports/kind.js';
import type { ServerConfig } from '../../../src/transports/kinds.js';
import type { RequestHandler } from '../../../src/wire/inbound.js';
import { transports } from '../behaviour.js';
import type { Address, ContractClient, ContractClientKind, Failure, FailureKind, Outcome } from './contract-client.js';

/** Plugboard's client, through the functions that the host uses. */
export const ourClient: ContractClientKind = {
  name: 'ours',
  transports,
  // The era is not detected over a WebSocket, a transport that no modern version defines.
  eraFor: (era, transport) => (transport === 'ws' ? era : 'auto'),
  async connect(address, { timeoutMs, era, handlers = {}, processes, ...options }) {
    const answering = Object.fromEntries(
      Object.entries(handlers).map(([method, handler]): [string, RequestHandler] => [
        method,
        async (params, { signal }) => handler(params, signal),
      ]),
    );
    try {
      const { config, context } = toOpening(address, processes);
      const opening = { config: { ...config, era }, context, timeoutMs, handlers: answering, ...options };
      return toClient(await connect(opening), timeoutMs);
    } catch (error) {
      return toFailure(error);
    }
  },
};

function toClient(connection: Connection, timeoutMs: number): ContractClient {
  const { session } = connection;
  const { version, server, capabilities, instructions } = session;
  return {
    handshake: { version, server, capabilities, instructions },
    listTools: () =>
      toOutcome(async () => {
        const { tools } = await listTools(connection, { timeoutMs });
        return tools.map(({ name }) => name);
      }),
    call: (tool, input = {}, options = {}) =>
      toOutcome(async () => {
        const { isError, content, structuredContent } = await callTool(
          connection,
          { tool, input },
          { timeoutMs, ...options },
        );
        return { content, ...(structuredContent !== undefined && { structuredContent }), ...(isError && { isError }) };
      }),
    request: (method, params) => toOutcome(() => session.request(method, params, { timeoutMs })),
    read: (uri) => toOutcome(async () => (await session.request('resources/read', { uri }, { timeoutMs }))['contents']),
    watch: (wanted) => session.watch(wanted),
    close: async () => connection[Symbol.asyncDispose](),
    closed: connection.closed,
  };
}

function toOpening(
  address: Address,
  processes = new ProcessRegistry(),
): { config: ServerConfig; context: OpenContext } {
  const context: OpenContext = {
    name: 'contract',
    clock: systemClock,
    env: {}, // above all no proxy variables
    platform: process.platform,
    cwd: process.cwd(),
    processes,
  };
  switch (address.kind) {
    case 'in-process':
      return {
        config: { type: 'in-process', name: 'fixture' },
        context: { ...context, embedded: new Map([['fixture', address.server]]) },
      };
    case 'stdio': {
      const env = Object.fromEntries(Object.entries(address.env).map(([name, value]) => [name, new Secret(value)]));
      return { config: { type: 'stdio', command: process.execPath, args: [address.file], env }, context };
    }
    case 'http':
    case 'sse':
    case 'ws':
      return { config: { type: address.kind, url: address.url, headers: {} }, context };
    case 'connector':
      return {
        config: { type: 'connector-proxy', url: 'https://connector.invalid/mcp', proxyUrl: address.url, headers: {} },
        context: { ...context, credentials: accountCredentials(address.account, 'renew it') },
      };
    case 'sdk':
      return { config: { type: 'sdk', name: 'fixture' }, context: { ...context, control: address.control } };
    default:
      return unreachable(address);
  }
}

async function toOutcome(ask: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: await ask() };
  } catch (error) {
    return toFailure(error);
  }
}

const kinds: Readonly<Record<string, FailureKind>> = {
  'server-error': 'rpc',
  'call-timeout': 'timeout',
  'connect-timeout': 'timeout',
  cancelled: 'cancelled',
  'connection-closed': 'closed',
  'bad-answer': 'bad-answer',
  'answer-too-large': 'too-large',
  unsupported: 'unsupported',
  'session-lost': 'session-lost',
  unauthorized: 'unauthorized',
  usage: 'usage',
  'start-failed': 'start-failed',
  'connect-failed': 'unreachable',
  'http-failed': 'http',
  'input-failed': 'input',
};

/** Anything but a `HostError` is a bug in Plugboard, and fails the test. */
function toFailure(error: unknown): Failure {
  if (!(error instanceof HostError)) throw error;
  const { code, detail, message } = error;
  const kind = kinds[code] ?? 'unknown';
  if (code !== 'server-error' || detail?.kind !== 'rpc') return { error: kind };
  const said = message.replace(/^Server "contract" answered \S+ with (?:an error|error -?\d+)(?:: )?/u, '');
  return { error: kind, rpc: { code: detail.code, message: said, ...('data' in detail && { data: detail.data }) } };
}
