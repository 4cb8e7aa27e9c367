// The protocol's side of a small MCP server: what it answers to a message, given its name and its tools.

/** Tools are `{ description, inputSchema, annotations, run }` by name. Gives a function from a message to its answer. */
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

  /** Undefined for what nobody answers: a notification. */
  return ({ id, method, params }) => {
    if (id === undefined) return undefined;
    const answer = Object.hasOwn(methods, method)
      ? { result: methods[method](params ?? {}) }
      : { error: { code: -32601, message: `Unknown method ${method}` } };
    return { jsonrpc: '2.0', id, ...answer };
  };
}
