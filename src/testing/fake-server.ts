import { isObject, type JsonObject } from '../base/json.js';
import type { JsonRpcMessage } from '../wire/message.js';

/** A tool of a fake server. */
export interface FakeTool {
  /** Default: empty. */
  readonly description?: string;
  /** Default: an object with any fields. */
  readonly inputSchema?: JsonObject;
  /** MCP's hints, such as `{ readOnlyHint: true }`. Default: none. */
  readonly annotations?: JsonObject;
  /** Returns a text, or a whole result of tools/call. What it throws is an error of the tool. */
  readonly run: (input: JsonObject) => string | JsonObject | Promise<string | JsonObject>;
}

/** What a fake server offers beside tools. */
export interface FakeResources {
  /** The texts of the resources that the server lists, by URI. Default: none. */
  readonly resources?: Readonly<Record<string, string>> | undefined;
  /** Answers for URIs that the server does not list. Default: an error. */
  readonly readResource?: ((uri: string) => string) | undefined;
}

/** A server inside the program of a test, for the option `embedded` of `Host.open`. */
export interface FakeServer {
  /** The calls so far, in order. */
  readonly calls: readonly { readonly tool: string; readonly input: JsonObject }[];
  /** The URIs of the resources that were read so far, in order. */
  readonly reads: readonly string[];
  /** Called by the host for each connection. */
  connect(end: FakeEnd): void;
}

/** The server's end of a connection, as far as a fake server needs it. */
export interface FakeEnd {
  /** Sends a message to the host. */
  send(message: JsonRpcMessage): Promise<void>;
  /** Set by the server: called for each message of the host. */
  onmessage?: ((message: JsonRpcMessage) => void) | undefined;
}

/** A server with these tools: no process, no network. It speaks 2025-11-25. */
export function fakeServer(
  tools: Readonly<Record<string, FakeTool | FakeTool['run']>>,
  { resources, readResource }: FakeResources = {},
): FakeServer {
  const known = new Map(
    Object.entries(tools).map(([name, tool]) => [name, typeof tool === 'function' ? { run: tool } : tool]),
  );
  const calls: { tool: string; input: JsonObject }[] = [];
  const reads: string[] = [];
  const hasResources = resources !== undefined || readResource !== undefined;
  return {
    calls,
    reads,
    connect(end) {
      const onmessage = (message: JsonRpcMessage): void => {
        const { id, method, params } = message as { id?: number; method?: string; params?: JsonObject };
        if (id === undefined || method === undefined) return; // a notification, or a response
        void answer(method, params ?? {}).then((result) =>
          end.send((result ? { jsonrpc: '2.0', id, result } : unknownMethod(id)) as JsonRpcMessage),
        );
      };
      Object.assign(end, { onmessage });
    },
  };

  async function answer(method: string, params: JsonObject): Promise<JsonObject | undefined> {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {}, ...(hasResources && { resources: {} }) },
          serverInfo: { name: 'fake', version: '1' },
        };
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: [...known].map(toDefinition) };
      case 'resources/list':
        return hasResources
          ? { resources: Object.keys(resources ?? {}).map((uri) => ({ uri, name: uri })) }
          : undefined;
      case 'resources/read':
        return hasResources ? read(String(params['uri'])) : undefined;
      case 'tools/call':
        return call(String(params['name']), isObject(params['arguments']) ? params['arguments'] : {});
      default:
        return undefined;
    }
  }

  function read(uri: string): JsonObject | undefined {
    reads.push(uri);
    const text = resources?.[uri] ?? readResource?.(uri);
    return text === undefined ? undefined : { contents: [{ uri, mimeType: 'text/plain', text }] };
  }

  async function call(name: string, input: JsonObject): Promise<JsonObject> {
    calls.push({ tool: name, input });
    const tool = known.get(name);
    if (!tool) return textResult(`There is no tool "${name}"`, true);
    try {
      const result = await tool.run(input);
      return typeof result === 'string' ? textResult(result, false) : result;
    } catch (error) {
      return textResult(error instanceof Error ? error.message : String(error), true);
    }
  }
}

function toDefinition([name, { description = '', inputSchema = ANYTHING, annotations }]: [
  string,
  FakeTool,
]): JsonObject {
  return { name, description, inputSchema, ...(annotations && { annotations }) };
}

const ANYTHING: JsonObject = { type: 'object', additionalProperties: true };

function textResult(text: string, isError: boolean): JsonObject {
  return { content: [{ type: 'text', text }], isError };
}

function unknownMethod(id: number): object {
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
}
