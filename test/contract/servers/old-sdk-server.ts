import type { JsonObject } from '../../../src/base/json.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  ResultSchema,
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Diary, watch } from './diary.js';
import { listResources, readResource } from './resources.js';
import { capabilities, instructions, listPage, runTool, serverInfo } from './tools.js';
import { RpcError, type ToolConnection } from './tool-turn.js';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The suite's tools on a server of the official SDK's first generation, which most existing servers use. */
export async function connectOldSdkServer(transport: Transport, die: () => void): Promise<void> {
  const server = new Server(serverInfo, { capabilities, instructions });
  const connection: ToolConnection = {
    diary: new Diary(),
    gates: new Map(),
    tries: new Map(),
    announce: (method, params) => server.notification({ method, ...(params && { params }) }),
    die,
  };
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => listPage(params?.cursor) as never);
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => call(connection, params, extra) as never);
  server.setRequestHandler(ListResourcesRequestSchema, () => listResources());
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readResource(params.uri, {}) as never);
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  await server.connect(transport);
  watch(transport, connection.diary);
}

async function call(
  connection: ToolConnection,
  params: { readonly name: string; readonly arguments?: JsonObject | undefined },
  extra: Extra,
): Promise<object> {
  const { _meta: meta = {} } = extra;
  try {
    return await runTool(params.name, {
      id: extra.requestId,
      input: params.arguments ?? {},
      meta,
      inputs: {},
      connection,
      notify: (method, sent) => extra.sendNotification({ method, ...(sent && { params: sent }) } as never),
      ask: (method, sent) =>
        toReply(extra.sendRequest({ method, ...(sent && { params: sent }) } as never, ResultSchema)),
    });
  } catch (error) {
    throw error instanceof RpcError ? toMcpError(error) : error;
  }
}

/** The SDK's `McpError` puts a prefix before the message. */
function toMcpError({ code, message, data }: RpcError): McpError {
  return Object.assign(new McpError(code, message, data), { message });
}

async function toReply(answer: Promise<unknown>): Promise<JsonObject> {
  try {
    return { result: await answer };
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return { error: { code: error.code, message: error.message.replace(/^MCP error -?\d+: /u, '') } };
  }
}
