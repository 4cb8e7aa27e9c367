import {
  Client,
  type ClientOptions,
  type McpSubscription,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { WebSocket } from 'ws';
import { unreachable } from '../../../src/base/never.js';
import { linkedPair } from '../../../src/transports/in-process/in-process-pipe.js';
import type { SubscriptionFilter } from '../../../src/wire/eras/era.js';
import { transports } from '../behaviour.js';
import { socketTransport } from '../socket-transport.js';
import type {
  Address,
  ConnectOptions,
  ContractClient,
  ContractClientKind,
  Failure,
  FailureKind,
  Outcome,
} from './contract-client.js';
import { serverEndOf } from './pipe-end.js';

/** The official SDK's client, run on the same behaviours to see where ours differs. */
export const oracleClient: ContractClientKind = {
  name: 'oracle',
  // The SDK's client has neither control messages nor accounts: both belong to Plugboard.
  transports: transports.filter((transport) => transport !== 'sdk' && transport !== 'connector'),
  eraFor: (era) => era,
  async connect(address, options) {
    const client = toSdkClient(options);
    const closed = new Promise<void>((resolve) => {
      Object.assign(client, { onclose: resolve });
    });
    try {
      await client.connect(await toTransport(address), { timeout: options.timeoutMs });
      return toClient(client, options.timeoutMs, closed);
    } catch (error) {
      await client.close();
      return toFailure(error);
    }
  },
};

const modes: Readonly<Record<ConnectOptions['era'], NonNullable<ClientOptions['versionNegotiation']>>> = {
  auto: { mode: 'auto' },
  legacy: { mode: 'legacy' },
  modern: { mode: { pin: '2026-07-28' } },
};

function toSdkClient({ era, capabilities = {}, handlers = {}, onNotification }: ConnectOptions): Client {
  const client = new Client({ name: 'oracle', version: '1.0.0' }, { capabilities, versionNegotiation: modes[era] });
  for (const [method, handler] of Object.entries(handlers)) {
    client.setRequestHandler(
      method as 'roots/list',
      ({ params }, { mcpReq }) => handler({ ...params }, mcpReq.signal) as never,
    );
  }
  client.fallbackNotificationHandler = ({ method, params }) => {
    onNotification?.(method, params ?? {});
    return Promise.resolve();
  };
  return client;
}

async function toTransport(address: Address): Promise<Transport> {
  switch (address.kind) {
    case 'in-process': {
      const { pipe, end } = linkedPair();
      await address.server.connect(serverEndOf(pipe));
      return end as Transport;
    }
    case 'stdio':
      return new StdioClientTransport({
        command: process.execPath,
        args: [address.file],
        env: { ...address.env },
        stderr: 'ignore',
      });
    case 'http':
      return new StreamableHTTPClientTransport(new URL(address.url));
    case 'sse':
      return new SSEClientTransport(new URL(address.url));
    case 'ws':
      return socketTransport(new WebSocket(address.url, 'mcp', { maxPayload: 0 })) as Transport;
    case 'sdk':
    case 'connector':
      throw new Error(`The official client knows no ${address.kind}`);
    default:
      return unreachable(address);
  }
}

function toClient(client: Client, timeout: number, closed: Promise<void>): ContractClient {
  const watching = toWatching(client, timeout);
  return {
    handshake: {
      version: client.getNegotiatedProtocolVersion(),
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    },
    listTools: () =>
      toOutcome(async () => {
        const { tools } = await client.listTools(undefined, { timeout });
        return tools.map(({ name }) => name);
      }),
    call: (name, input = {}, { timeoutMs = timeout, signal, onProgress } = {}) =>
      toOutcome(async () => {
        const { content, structuredContent, isError } = await client.callTool(
          { name, arguments: input },
          { timeout: timeoutMs, ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) },
        );
        return {
          content,
          ...(structuredContent !== undefined && { structuredContent }),
          ...(isError === true && { isError }),
        };
      }),
    request: (method, params) => toOutcome(() => client.request({ method: method as 'ping', params }, { timeout })),
    read: (uri) => toOutcome(async () => (await client.readResource({ uri }, { timeout })).contents),
    watch: (wanted) => watching(wanted).catch(() => {}),
    close: () => client.close(),
    closed,
  };
}

/** Subscribes as the SDK documents it for each era: opens the new subscription, then closes the old one. */
function toWatching(client: Client, timeout: number): (wanted: SubscriptionFilter) => Promise<void> {
  let current: McpSubscription | undefined;
  return async ({ lists = [], resources = [] }) => {
    if (client.getProtocolEra() !== 'modern') {
      await Promise.all(resources.map((uri) => client.subscribeResource({ uri }, { timeout })));
      return;
    }
    const before = current;
    const filter = {
      ...Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true])),
      ...(resources.length > 0 && { resourceSubscriptions: [...resources] }),
    };
    current = Object.keys(filter).length === 0 ? undefined : await client.listen(filter, { timeout });
    await before?.close();
  };
}

async function toOutcome(ask: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: await ask() };
  } catch (error) {
    return toFailure(error);
  }
}

function toFailure(error: unknown): Failure {
  if (error instanceof ProtocolError) {
    const { code, data } = error;
    const message = error.message.replace(/^MCP error -?\d+: /u, '');
    return { error: 'rpc', rpc: { code, message, ...(data !== undefined && { data }) } };
  }
  if (error instanceof SdkHttpError) return { error: error.status === 401 ? 'unauthorized' : 'http' };
  if (error instanceof SdkError) return { error: kinds[error.code] ?? 'unknown' };
  if (error instanceof Error && error.name === 'AbortError') return { error: 'cancelled' };
  return { error: 'unknown' };
}

const kinds: Readonly<Record<string, FailureKind>> = {
  [SdkErrorCode.RequestTimeout]: 'timeout',
  [SdkErrorCode.ConnectionClosed]: 'closed',
  [SdkErrorCode.NotConnected]: 'closed',
  [SdkErrorCode.InvalidResult]: 'bad-answer',
  [SdkErrorCode.UnsupportedResultType]: 'bad-answer',
  [SdkErrorCode.ClientHttpUnexpectedContent]: 'http',
  [SdkErrorCode.InputRequiredRoundsExceeded]: 'input',
  [SdkErrorCode.CapabilityNotSupported]: 'unsupported',
  [SdkErrorCode.MethodNotSupportedByProtocolVersion]: 'unsupported',
  [SdkErrorCode.EraNegotiationFailed]: 'unsupported',
};
