// The protocol part of the demo's MCP servers: answers a message, given the server's name and tools.

/** `tools`: `{ description, inputSchema, annotations, run }` by name. Returns a function from message to response. */
export function answering(name, tools) {
  const methods = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion: protocolVersion ?? '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name, version: '1.0.0' },
    }),
    ping: () => ({}),
    'tools/list': () => ({
      tools: Object.entries(tools).map(([key, tool]) => ({ name: key, ...tool, run: undefined })),
    }),
    'tools/call': ({ name: key, arguments: input }) => {
      const tool = Object.hasOwn(tools, key) ? tools[key] : undefined;
      if (!tool) return { content: [{ type: 'text', text: `There is no tool "${key}"` }], isError: true };
      return { content: [{ type: 'text', text: tool.run(input ?? {}) }] };
    },
  };

  /** Returns undefined for a notification, which has no response. */
  return ({ id, method, params }) => {
    if (id === undefined) return undefined;
    const answer = Object.hasOwn(methods, method)
      ? { result: methods[method](params ?? {}) }
      : { error: { code: -32601, message: `Unknown method ${method}` } };
    return { jsonrpc: '2.0', id, ...answer };
  };
}
