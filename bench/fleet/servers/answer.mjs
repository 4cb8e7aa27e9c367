// The responses of one server of a fleet: protocol 2025-11-25 and nothing newer, like most servers, and tools as people
// write them, about 800 bytes each.
const PROTOCOL = '2025-11-25';
const verbs = ['search', 'get', 'create', 'update', 'delete', 'list', 'export', 'watch'];
const things = ['issues', 'files', 'messages', 'tables', 'events', 'users', 'reports', 'branches', 'alerts'];

const echo = {
  name: 'echo',
  description: 'Says what it was told.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

/** A list of `count` tools as JSON, made once for all responses of the process. */
export function makeTools(count) {
  return JSON.stringify(Array.from({ length: count }, (_, index) => (index === 0 ? echo : makeTool(index))));
}

/** Returns a function from a message to its response as JSON; undefined where none is expected. */
export function makeAnswerer(name, tools) {
  const serverInfo = { name, version: '1.4.2' };
  return function answer({ id, method, params }) {
    if (id === undefined || method === undefined) return undefined;
    switch (method) {
      case 'initialize':
        return say({ protocolVersion: PROTOCOL, capabilities: { tools: { listChanged: true } }, serverInfo });
      case 'tools/list':
        return `{"result":{"tools":${tools}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
      case 'tools/call':
        return say({ content: [{ type: 'text', text: params.arguments.text }] });
      case 'ping':
        return say({});
      default:
        return JSON.stringify({ error: { code: -32_601, message: 'Method not found' }, jsonrpc: '2.0', id });
    }

    function say(result) {
      return JSON.stringify({ result, jsonrpc: '2.0', id });
    }
  };
}

function makeTool(index) {
  const verb = verbs[index % verbs.length];
  const thing = things[index % things.length];
  return {
    name: `${verb}_${thing}_${index}`,
    title: `${verb} ${thing}`,
    description:
      `${verb} ${thing} of a workspace, newest first. Use it whenever the user asks about ${thing}; give the workspace ` +
      `by its short name, as it stands in its address. Answers with at most "limit" ${thing}, and a cursor for the rest.`,
    inputSchema: {
      type: 'object',
      properties: {
        workspace: { type: 'string', description: 'Short name of the workspace, such as "acme"' },
        query: { type: 'string', description: `What the ${thing} have to match; words, or a phrase in quotes` },
        state: { type: 'string', enum: ['open', 'closed', 'all'], default: 'open' },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many at most' },
        cursor: { type: 'string', description: 'Where an earlier answer ended' },
      },
      required: ['workspace', 'query'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: index % 3 !== 2, openWorldHint: false },
  };
}
