import { HostError } from '../../../src/base/errors.js';
import { unreachable } from '../../../src/base/never.js';
import { Secret } from '../../../src/base/secret.js';
import { callTool } from '../../../src/connection/call-tool.js';
import { connect, type Connection } from '../../../src/connection/connect.js';
import { listTools } from '../../../src/connection/remote-tool.js';
import { systemClock } from '../../../src/edge/clock.js';
import { ProcessRegistry } from '../../../src/edge/process-registry.js';
import type { OpenContext } from '../../../src/transports/kind.js';
import type { ServerConfig } from '../../../src/transports/kinds.js';
import type { Address, ContractClient, ContractClientKind, Failure, FailureKind, Outcome } from './contract-client.js';

/** Plugboard's own client, by the doors that the host uses. */
export const ourClient: ContractClientKind = {
  name: 'ours',
  async connect(address, { timeoutMs, ...options }) {
    try {
      const { config, context } = toOpening(address);
      return toClient(await connect({ config, context, timeoutMs, ...options }), timeoutMs);
    } catch (error) {
      return toFailure(error);
    }
  },
};

function toClient(connection: Connection, timeoutMs: number): ContractClient {
  const { version, server, capabilities, instructions } = connection.session;
  return {
    greeting: { version, server, capabilities, instructions },
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
    request: (method, params) => toOutcome(() => connection.session.request(method, params, { timeoutMs })),
    close: async () => connection[Symbol.asyncDispose](),
    closed: connection.closed,
  };
}

function toOpening(address: Address): { config: ServerConfig; context: OpenContext } {
  const context: OpenContext = {
    name: 'contract',
    clock: systemClock,
    env: process.env,
    platform: process.platform,
    cwd: process.cwd(),
    processes: new ProcessRegistry(),
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
      return { config: { type: 'http', url: address.url, headers: {} }, context };
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
  'http-failed': 'http',
};

/** Anything but a HostError is a bug of ours, and fails the test. */
function toFailure(error: unknown): Failure {
  if (!(error instanceof HostError)) throw error;
  const { code, detail, message } = error;
  const kind = kinds[code] ?? 'unknown';
  if (detail?.kind !== 'rpc') return { error: kind };
  const said = message.replace(/^Server "contract" answered \S+ with (?:an error|error -?\d+)(?:: )?/u, '');
  return { error: kind, rpc: { code: detail.code, message: said, ...('data' in detail && { data: detail.data }) } };
}
