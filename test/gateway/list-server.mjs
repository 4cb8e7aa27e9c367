// A stdio server of 2025-11-25 whose lists are what the environment says, and what a call of `set` makes of them: in a
// file (STATE), because each client of a gateway has a process of its own.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const written = {
  tools: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  ...JSON.parse(process.env.LISTS ?? '{}'),
};
const { capabilities, lacks = [], instructions } = JSON.parse(process.env.SAYS ?? '{}');
const { STATE } = process.env;
const readLists = () =>
  STATE && existsSync(STATE) ? { ...written, ...JSON.parse(readFileSync(STATE, 'utf8')) } : written;
const METHODS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};
const schema = { inputSchema: { type: 'object' } };

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function answer({ method, params }) {
  if (method === 'initialize') {
    const declared = { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } };
    for (const kind of lacks) delete declared[kind];
    return {
      protocolVersion: params.protocolVersion,
      serverInfo: { name: 'list', version: '1' },
      capabilities: { ...declared, ...capabilities },
      ...(instructions && { instructions }),
    };
  }
  if (method in METHODS) {
    const field = METHODS[method];
    const items = readLists()[field].map((item) => (typeof item === 'string' ? { name: item } : item));
    return { [field]: field === 'tools' ? items.map((item) => ({ ...schema, ...item })) : items };
  }
  if (method === 'tools/call' && params.name === 'set') {
    const { list, items } = params.arguments;
    writeFileSync(STATE, JSON.stringify({ ...readLists(), [list]: items }));
    const kind = list === 'resourceTemplates' ? 'resources' : list;
    send({ method: `notifications/${kind}/list_changed` });
    return { content: [{ type: 'text', text: 'set' }] };
  }
  if (method === 'tools/call' && params.name === 'link') {
    return { content: [{ type: 'resource_link', uri: params.arguments.uri, name: 'linked' }] };
  }
  if (method === 'tools/call' && params.name === 'touch') {
    send({ method: 'notifications/resources/updated', params: { uri: params.arguments.uri } });
    return { content: [] };
  }
  if (method === 'tools/call' && params.name === 'exit') process.exit(1);
  if (method === 'tools/call') {
    const { _meta, ...told } = params;
    return { content: [{ type: 'text', text: JSON.stringify({ server: process.env.NAME, ...told }) }] };
  }
  if (method === 'resources/read')
    return { contents: [{ uri: params.uri, text: `${process.env.NAME} ${params.uri}` }] };
  if (method === 'prompts/get') {
    const content = { type: 'text', text: `${process.env.NAME} ${params.name}` };
    return { messages: [{ role: 'user', content }] };
  }
  if (method.startsWith('resources/')) return {};
  return undefined;
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id === undefined) continue;
  const result = answer(message);
  send(result ? { id: message.id, result } : { id: message.id, error: { code: -32601, message: 'Method not found' } });
}
