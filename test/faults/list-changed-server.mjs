// A server that sends ten thousand list_changed notifications in a burst and records when its tools are listed.
import { createInterface } from 'node:readline';

const askedAt = [];
let version = 0;

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function tools() {
  const many = Array.from({ length: 200 }, (_, index) => ({
    name: `tool-${index}`,
    description: `What tool ${index} does. `.repeat(20),
    inputSchema: { type: 'object', properties: { path: { type: 'string' }, count: { type: 'integer' } } },
  }));
  return [...many, { name: `version-${version}`, inputSchema: { type: 'object' } }];
}

function burst(notes) {
  const note = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n`;
  process.stdout.write(note.repeat(notes));
  version += notes;
  // Only a list that is requested after this last notification is sure to have the new version.
  process.stdout.write(note);
}

function call({ name, arguments: { notes } = {} }) {
  if (name === 'burst') burst(notes);
  return { content: [{ type: 'text', text: JSON.stringify(askedAt) }] };
}

const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'changing', version: '1' },
  }),
  'tools/list': () => {
    askedAt.push(performance.now());
    return { tools: tools() };
  },
  'tools/call': call,
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  if (answer) write({ id, result: answer(params) });
  else write({ id, error: { code: -32601, message: 'Method not found' } });
});
