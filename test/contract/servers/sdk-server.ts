import { ProtocolError, Server, type ServerContext, type Transport } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../../src/wire/message.js';
import { Diary, watch } from './diary.js';
import type { FixtureOptions } from './fixture.js';
import { capabilities, instructions, listPage, RpcError, runTool, serverInfo, type ToolConnection } from './tools.js';

/** The tools of the suite on the official SDK's server, as its second generation has it. */
export async function connectSdkServer(transport: Transport, options: FixtureOptions, die: () => void): Promise<void> {
  const versions = typeof options.version === 'string' ? { supportedProtocolVersions: [options.version] } : {};
  const server = new Server(serverInfo, { capabilities, instructions, ...versions });
  const connection: ToolConnection = {
    diary: new Diary(),
    gates: new Map(),
    announce: (method, params) => server.notification({ method, ...(params && { params }) }),
    die,
  };
  server.setRequestHandler('tools/list', ({ params }) => listPage(params?.cursor) as never);
  server.setRequestHandler('tools/call', ({ params }, context) => call({ connection, params, context }) as never);
  await server.connect(transport);
  watch(transport, connection.diary);
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
      connection,
      notify: (method, sent) => mcpReq.notify({ method, ...(sent && { params: sent }) }),
      ask: (method, sent) => toReply(mcpReq.send({ method, ...(sent && { params: sent }) }, anything)),
    });
  } catch (error) {
    throw error instanceof RpcError ? new ProtocolError(error.code, error.message, error.data) : error;
  }
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
