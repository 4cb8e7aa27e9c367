import type { JsonObject } from '../../../src/base/json.js';
import { ProtocolError, Server, type ServerContext, type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Diary, watch } from './diary.js';
import type { FixtureOptions } from './fixture-options.js';
import { listResources, readResource } from './resources.js';
import { capabilities, instructions, listPage, runTool, serverInfo } from './tools.js';
import { type Inputs, RpcError, type ToolConnection } from './tool-turn.js';

/** The suite's tools on a server of the official SDK's second generation. */
export async function connectSdkServer(transport: Transport, options: FixtureOptions, die: () => void): Promise<void> {
  const shared = toShared(die);
  if (options.speaks === 'modern') {
    serveStdio(() => toSdkServer(options, shared), { transport, legacy: 'reject' });
    // `serveStdio` has set the transport's handler by now, so the diary can wrap it.
    watch(transport, shared.diary);
  } else {
    await toSdkServer(options, shared).connect(transport);
    watch(transport, shared.diary);
  }
}

/** What the servers of one endpoint share: in the modern era each HTTP request has its own server. */
export type Shared = Omit<ToolConnection, 'announce'> & Partial<Pick<ToolConnection, 'announce'>>;

export function toShared(die: () => void): Shared {
  return { diary: new Diary(), gates: new Map(), tries: new Map(), die };
}

export function toSdkServer(options: FixtureOptions, shared: Shared): Server {
  const versions = typeof options.version === 'string' ? { supportedProtocolVersions: [options.version] } : {};
  const server = new Server(serverInfo, { capabilities, instructions, ...versions });
  const connection: ToolConnection = {
    announce: (method, params) => server.notification({ method, ...(params && { params }) }),
    ...shared,
  };
  server.setRequestHandler('tools/list', ({ params }) => listPage(params?.cursor) as never);
  server.setRequestHandler('tools/call', ({ params }, context) => call({ connection, params, context }) as never);
  server.setRequestHandler('resources/list', () => listResources());
  server.setRequestHandler(
    'resources/read',
    ({ params }, { mcpReq }) => readResource(params.uri, toInputs(mcpReq)) as never,
  );
  if (options.speaks !== 'modern') server.setRequestHandler('resources/subscribe', () => ({}));
  return server;
}

interface Call {
  readonly connection: ToolConnection;
  readonly params: { readonly name: string; readonly arguments?: JsonObject | undefined };
  readonly context: ServerContext;
}

async function call({ connection, params, context: { mcpReq } }: Call): Promise<object> {
  const { _meta: meta = {} } = mcpReq;
  try {
    return await runTool(params.name, {
      id: mcpReq.id,
      input: params.arguments ?? {},
      meta,
      inputs: toInputs(mcpReq),
      connection,
      notify: (method, sent) => mcpReq.notify({ method, ...(sent && { params: sent }) }),
      ask: (method, sent) => toReply(mcpReq.send({ method, ...(sent && { params: sent }) }, anything)),
    });
  } catch (error) {
    throw error instanceof RpcError ? new ProtocolError(error.code, error.message, error.data) : error;
  }
}

function toInputs({ inputResponses, requestState }: ServerContext['mcpReq']): Inputs {
  const state: unknown = requestState?.();
  return {
    ...(inputResponses !== undefined && { inputResponses }),
    ...(state !== undefined && { requestState: state }),
  };
}

async function toReply(answer: Promise<unknown>): Promise<JsonObject> {
  try {
    return { result: await answer };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}

const anything = {
  '~standard': { version: 1 as const, vendor: 'contract', validate: (value: unknown) => ({ value }) },
};
