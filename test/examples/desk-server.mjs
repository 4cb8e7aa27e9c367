// A small MCP server on stdio: `meet` waits for a second call, `picture` returns an image, and `build` adds a tool.
import { createInterface } from 'node:readline';

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const annotations = { readOnlyHint: true };
const tools = [
  {
    name: 'meet',
    description: 'Waits until two are there',
    inputSchema: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
    annotations,
  },
  {
    name: 'picture',
    description: 'Shows a dot',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations,
  },
];
tools.push({ ...tools[1], name: 'build', description: 'Makes a lamp', annotations: { destructiveHint: false } });
const lamp = { ...tools[1], name: 'lamp', description: 'Shines' };
const ALONE_MS = 120_000; // by now no second call will come, however slow the machine is
const PING = 'ping';
const waiting = [];
let built;

const methods = {
  initialize: (id, { protocolVersion }) => {
    const serverInfo = { name: 'desk', version: '1.0.0' };
    const instructions = 'Two have to meet at the same time.';
    answer(id, { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo, instructions });
  },
  'tools/list': (id) => {
    answer(id, { tools });
    // A host that responds to this ping has processed the list before it.
    if (built) say({ id: PING, method: 'ping' });
  },
  'tools/call': (id, { name, arguments: input }) => calls[name](id, input),
};

const calls = {
  meet(id, { who }) {
    waiting.push({ id, who });
    if (waiting.length < 2) return void setTimeout(end, ALONE_MS, 'nobody else').unref();
    return end('have met');
  },
  picture: (id) => answer(id, { content: [{ type: 'image', data: DOT, mimeType: 'image/png' }] }),
  build(id) {
    // The call ends when the host has the new list.
    built = { id };
    tools.push(lamp);
    say({ method: 'notifications/tools/list_changed' });
  },
  lamp: (id) => answer(id, text('It is bright')),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (id === PING && method === undefined) {
    answer(built.id, text('There is a lamp'));
    built = undefined;
    return;
  }
  if (Object.hasOwn(methods, method)) methods[method](id, params);
  else say({ id, error: { code: -32601, message: `Unknown method ${method}` } });
});

function end(how) {
  const names = waiting
    .map(({ who }) => who)
    .toSorted((one, other) => one.localeCompare(other))
    .join(' and ');
  for (const { id } of waiting.splice(0)) answer(id, text(`${names} ${how}`));
}

function text(words) {
  return { content: [{ type: 'text', text: words }] };
}

function answer(id, result) {
  say({ id, result });
}

function say(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
