// A server on stdio with the tools that the test defines, in a file that may change or in its environment. Writes the
// begin and end of each call to a journal.
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { deflateSync } from 'node:zlib';

const { JOURNAL, TOOLS, TOOLS_FILE, VISITED_AFTER = 'never' } = process.env;
const anything = { type: 'object', properties: {} };
let visits = 0;

function listed() {
  const tools = JSON.parse(TOOLS_FILE ? readFileSync(TOOLS_FILE, 'utf8') : TOOLS);
  return tools.map((tool) => ({ inputSchema: anything, ...(typeof tool === 'string' ? { name: tool } : tool) }));
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function note(event, name, { key = '' }) {
  if (JOURNAL) appendFileSync(JOURNAL, `${event} ${name} ${key}\n`);
}

class Refusal extends Error {
  constructor(code, message, data) {
    super(message);
    Object.assign(this, { code, data });
  }
}

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const FORECAST = { city: 'Oslo', degrees: [3, 4, 5] };

/** Special tools by name; all others return their input. */
const doing = {
  large: () => text(Array.from({ length: 30_000 }, (_, line) => `line ${line} of a long report`).join('\n')),
  huge: () => text(`beginning ${'x'.repeat(20_000_000)}`),
  complain: () => {
    process.stderr.write(`${'something is wrong. '.repeat(2_000)}\n`);
    return text('complained');
  },
  picture: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: png(3000, 2000).toString('base64') }] }),
  forecast: () => ({ content: [{ type: 'text', text: JSON.stringify(FORECAST) }], structuredContent: FORECAST }),
  fail: ({ key }) => ({ ...text(`no ${key} today`), isError: true }),
  refuse: ({ key }) => {
    throw new Refusal(-32000, `cannot find ${key}`, { key });
  },
  page: () => {
    if (String(++visits) === VISITED_AFTER) return text('signed');
    const elicitations = [
      { mode: 'url', url: 'https://example.com/sign', elicitationId: `e${visits}`, message: 'Please sign' },
    ];
    throw new Refusal(-32042, 'sign first', { elicitations });
  },
  bad_page: () => {
    const elicitations = [{ mode: 'url', url: 'javascript:alert(1)', elicitationId: 'e', message: 'Please sign' }];
    throw new Refusal(-32042, 'sign first', { elicitations });
  },
  stroll: async (_, token) => {
    for (const progress of [1, 2, 3]) {
      send({
        method: 'notifications/progress',
        params: { progressToken: token, progress, total: 3, message: `${progress}` },
      });
    }
    return text('arrived');
  },
  announce: () => {
    send({ method: 'notifications/tools/list_changed' });
    return text('announced');
  },
};

async function call({ name, arguments: input = {}, _meta = {} }) {
  note('begin', name, input);
  if (input.ms) await new Promise((done) => setTimeout(done, input.ms));
  const result = await (Object.hasOwn(doing, name)
    ? doing[name](input, _meta.progressToken)
    : text(`${name} ${JSON.stringify(input)}`));
  note('end', name, input);
  return result;
}

const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'walk', version: '1.0.0' },
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
    instructions: 'Walk slowly.',
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: listed() }),
  'resources/list': () => ({ resources: [{ uri: 'walk://map', name: 'the map', mimeType: 'text/plain' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: 'left, then right' }] }),
  'prompts/list': () => ({ prompts: ['clear', 'new\nline'].map((name) => ({ name, description: 'a prompt' })) }),
  'prompts/get': ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `prompt ${name}` } }] }),
  'tools/call': call,
};

async function take({ id, method, params }) {
  if (method === 'notifications/cancelled') note('cancelled', '', {});
  if (id === undefined) return;
  try {
    if (!answers[method]) throw new Refusal(-32601, 'Method not found');
    send({ id, result: await answers[method](params) });
  } catch ({ code = -32603, message, data }) {
    send({ id, error: { code, message, data } });
  }
}

createInterface({ input: process.stdin }).on('line', (line) => void take(JSON.parse(line)));
process.stdin.once('end', () => process.exit(0));

/** A PNG in one colour. */
function png(width, height) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = deflateSync(
    Buffer.alloc(height * (1 + width * 3), 0x40).map((byte, at) => (at % (1 + width * 3) ? byte : 0)),
  );
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = [Buffer.alloc(4), Buffer.alloc(4)];
  ends[0].writeUInt32BE(data.length);
  ends[1].writeInt32BE(crc(body));
  return Buffer.concat([ends[0], body, ends[1]]);
}

function crc(bytes) {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return sum ^ -1;
}
