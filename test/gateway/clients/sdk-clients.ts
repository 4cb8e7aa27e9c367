import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { JsonObject } from '../../../src/base/json.js';
import {
  agree,
  type Answer,
  clientCapabilities as capabilities,
  clientInfo,
  type ForeignClient,
  type ForeignClientKind,
  type ServerAddress,
} from './foreign-client.js';

const anything = z.looseObject({});
const TIMEOUT_MS = 300_000; // guards against a hang

/** The official SDK's first generation. */
export const sdk1: ForeignClientKind = {
  name: 'SDK 1.32',
  era: 'legacy',
  async open(address, answer = agree) {
    const client = new OldClient(clientInfo, { capabilities });
    for (const schema of [ElicitRequestSchema, CreateMessageRequestSchema, ListRootsRequestSchema]) {
      client.setRequestHandler(schema, ({ method, params }) => answer(method, (params ?? {}) as JsonObject) as never);
    }
    const transport = address.kind === 'http' ? new OldHttp(new URL(address.url)) : new OldStdio(toProgram(address));
    await client.connect(transport);
    return toForeign({
      send: (method, params) => client.request({ method, params }, anything, { timeout: TIMEOUT_MS }),
      onUpdate: (tell) =>
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => tell(params.uri)),
      subscribe: (uri) => client.subscribeResource({ uri }),
      async close() {
        if (transport instanceof OldHttp) await transport.terminateSession();
        await client.close();
      },
    });
  },
};

/** The second generation, as a client of 2026-07-28 only. */
export const sdk2: ForeignClientKind = newer('SDK 2.4', 'modern');
/** The second generation, as it is where nothing is said about revisions. */
export const sdk2Legacy: ForeignClientKind = newer('SDK 2.4 of 2025', 'legacy');

function newer(name: string, era: 'legacy' | 'modern'): ForeignClientKind {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  return {
    name,
    era,
    async open(address, answer = agree) {
      const client = new NewClient(clientInfo, { capabilities, versionNegotiation: { mode } });
      for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const) {
        client.setRequestHandler(method, ({ params }) => answer(method, (params ?? {}) as JsonObject) as never);
      }
      const transport = address.kind === 'http' ? new NewHttp(new URL(address.url)) : new NewStdio(toProgram(address));
      await client.connect(transport);
      // It repeats arguments in headers, as a tool's schema says, only in its own way of calling a tool that it has seen.
      await client.listTools();
      return toForeign({
        send: (method, params) =>
          method === 'tools/call'
            ? client.callTool(params as never, { timeout: TIMEOUT_MS })
            : client.request({ method, params }, anything, { timeout: TIMEOUT_MS }),
        onUpdate: (tell) =>
          client.setNotificationHandler('notifications/resources/updated', ({ params }) => tell(params.uri)),
        subscribe: (uri) =>
          era === 'modern' ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri }),
        close: () => client.close(),
      });
    },
  };
}

function toProgram({ args, env }: Extract<ServerAddress, { kind: 'stdio' }>) {
  return { command: process.execPath, args: [...args], env, stderr: 'ignore' as const };
}

interface SdkClient {
  readonly send: (method: string, params: JsonObject) => Promise<JsonObject>;
  readonly onUpdate: (tell: (uri: string) => void) => void;
  readonly subscribe: (uri: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

function toForeign({ send, onUpdate, subscribe, close }: SdkClient): ForeignClient {
  return {
    request: (method, params = {}) => send(method, params).then((result) => ({ result }), toError),
    async subscribe(wanted) {
      const updated = new Promise<void>((resolve) => onUpdate((uri) => uri === wanted && resolve()));
      await subscribe(wanted);
      return { updated };
    },
    [Symbol.asyncDispose]: close,
  };
}

function toError(error: unknown): Answer {
  const { code, message, data } = error as { code?: number; message: string; data?: unknown };
  // The first generation writes the code before the words of an error, as a client and as a server.
  const words = message.replace(/^(?:MCP error -?\d+: )+/u, '');
  return { error: { code, message: words, ...(data !== undefined && { data }) } };
}
