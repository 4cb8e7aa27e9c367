// The responses of a server with many tools: protocol 2025-11-25, and tools whose input schemas are 2 KB each.
const PROTOCOL = '2025-11-25';
const SCHEMA_BYTES = 2048;
const verbs = ['search', 'get', 'create', 'update', 'delete', 'list', 'export', 'watch'];
const things = ['issues', 'files', 'messages', 'tables', 'events', 'users', 'reports', 'branches', 'alerts'];
const fields = [
  'workspace',
  'query',
  'state',
  'label',
  'owner',
  'since',
  'until',
  'order',
  'limit',
  'cursor',
  'format',
];

/** A list of `count` tools as JSON. `hasOutput`: each has an outputSchema of half a kilobyte. */
export function makeTools(count, { hasOutput = false, from = 0 } = {}) {
  return JSON.stringify(Array.from({ length: count }, (_, index) => makeTool(from + index, hasOutput)));
}

/** Returns a function from a message to its response, or to undefined. `tools` returns the current list, as JSON. */
export function makeAnswerer(name, tools) {
  const serverInfo = { name, version: '1.4.2' };
  return function answer({ id, method, params }) {
    if (id === undefined || method === undefined) return undefined;
    switch (method) {
      case 'initialize':
        return say({ protocolVersion: PROTOCOL, capabilities: { tools: { listChanged: true } }, serverInfo });
      case 'tools/list':
        return `{"result":{"tools":${tools()}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
      case 'tools/call':
        return say({ content: [{ type: 'text', text: JSON.stringify(params.arguments) }] });
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

function makeTool(index, hasOutput) {
  const verb = verbs[index % verbs.length];
  const thing = things[index % things.length];
  return {
    name: `${verb}_${thing}_${index}`,
    title: `${verb} ${thing}`,
    description:
      `${verb} ${thing} of a workspace, newest first. Use it whenever the user asks about ${thing}; give the workspace ` +
      `by its short name, as it stands in its address. Answers with at most "limit" ${thing}, and a cursor for the rest.`,
    inputSchema: makeSchema(thing),
    ...(hasOutput && { outputSchema: makeOutput(thing) }),
    annotations: { readOnlyHint: index % 3 !== 2, openWorldHint: false },
  };
}

/** Adds fields until the schema is nearly full, then pads it to exactly SCHEMA_BYTES. */
function makeSchema(thing) {
  const schema = { type: 'object', properties: {}, required: ['workspace', 'query'], additionalProperties: false };
  for (let at = 0; JSON.stringify(schema).length < SCHEMA_BYTES - 300; at++) {
    const field = `${fields[at % fields.length]}${at < fields.length ? '' : at}`;
    schema.properties[field] =
      at % 3 === 0
        ? { type: 'string', enum: ['open', 'closed', 'all'], default: 'open', description: `Which ${thing} are meant` }
        : {
            type: 'string',
            description: `What the ${field} of the ${thing} has to match; words, or a phrase in quotes`,
          };
  }
  const { length } = JSON.stringify({ ...schema, description: '' });
  return { ...schema, description: 'x'.repeat(SCHEMA_BYTES - length) };
}

function makeOutput(thing) {
  const item = { type: 'object', properties: { id: { type: 'string' }, title: { type: 'string' } }, required: ['id'] };
  return {
    type: 'object',
    properties: {
      items: {
        type: 'array',
        items: item,
        description: `The ${thing} that were found, newest first, as many as asked for`,
      },
      cursor: { type: 'string', description: 'Where the next answer begins; absent when there are no more of them' },
      total: { type: 'integer', minimum: 0, description: `How many ${thing} there are in all` },
    },
    required: ['items', 'total'],
  };
}
