// The protocol part of the demo's MCP servers: answers a message, given the server's name and tools.

/**
 * `tools`: `{ description, inputSchema, annotations, run }` by name. `run(input, ask)` returns a text, or
 * `{ text, isError }`; `ask({ message, requestedSchema })` shows the user a form, and is undefined where the client has
 * no forms. Returns a function from a message, and what sends messages to the client, to the response.
 */
export function answering(name, tools) {
  const asked = new Map();
  let hasForms = false;
  let count = 0;

  const methods = {
    initialize: ({ protocolVersion, capabilities }) => {
      hasForms = capabilities?.elicitation !== undefined;
      return {
        protocolVersion: protocolVersion ?? '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name, version: '1.0.0' },
      };
    },
    ping: () => ({}),
    'tools/list': () => ({
      tools: Object.entries(tools).map(([key, tool]) => ({ name: key, ...tool, run: undefined })),
    }),
    'tools/call': async ({ name: key, arguments: input }, send) => {
      const tool = Object.hasOwn(tools, key) ? tools[key] : undefined;
      if (!tool) return toResult({ text: `There is no tool "${key}"`, isError: true });
      const ask = send && hasForms ? (params) => askUser(params, send) : undefined;
      return toResult(await tool.run(input ?? {}, ask));
    },
  };

  /** Resolves to undefined for a notification, which has no response, and for a response. */
  return async ({ id, method, params, result, error }, send) => {
    if (method === undefined) {
      asked.get(id)?.(result ?? { action: 'cancel', error });
      asked.delete(id);
      return undefined;
    }
    if (id === undefined) return undefined;
    const answer = Object.hasOwn(methods, method)
      ? { result: await methods[method](params ?? {}, send) }
      : { error: { code: -32601, message: `Unknown method ${method}` } };
    return { jsonrpc: '2.0', id, ...answer };
  };

  function askUser(params, send) {
    const id = `ask-${++count}`;
    return new Promise((resolve) => {
      asked.set(id, resolve);
      send({ jsonrpc: '2.0', id, method: 'elicitation/create', params: { mode: 'form', ...params } });
    });
  }
}

function toResult(said) {
  const { text, isError } = typeof said === 'string' ? { text: said } : said;
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}
