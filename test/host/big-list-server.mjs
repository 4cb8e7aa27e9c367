// A server with a very long list of tools, over stdio, or over HTTP where the first argument is `http`: it prints its
// port. CHUNK is the size of what it writes at once over stdio, PLAN says what the list is like, SEEN is a file that gets a line for each request.
import { appendFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const tool = (at, more = {}) => ({
  name: `tool_${at}`,
  description: `Reads thing number ${at}`,
  inputSchema: { type: 'object', properties: propertiesOf(at) },
  ...more,
});
const propertiesOf = (at) =>
  Object.fromEntries(
    Array.from({ length: 18 }, (_, field) => [
      `field_${field}`,
      {
        type: 'string',
        description: `What field ${field} of thing ${at} holds, as it was written down when it was found`,
      },
    ]),
  );
const tools = (count, from = 0) => Array.from({ length: count }, (_, at) => JSON.stringify(tool(from + at)));
const empty = (count) => Array.from({ length: count }, () => ({}));
const page = (items, more = '') => `{"tools":[${items.join(',')}]${more}}`;
const PAGES = {
  whole: () => page(tools(10_000)),
  'too-many': () => page(tools(10_500), ',"nextCursor":"more"'),
  heavy: () =>
    page(
      [
        ...tools(8_000),
        ...Array.from({ length: 2_000 }, (_, at) => JSON.stringify(tool(8_000 + at, { deep: [empty(1_500)] }))),
      ],
      ',"nextCursor":"more"',
    ),
  twice: () => page([...tools(5_000), ...tools(5_000)]),
  'one-huge': () =>
    page([...tools(9_000), JSON.stringify(tool('huge', { more: empty(400_000) })), JSON.stringify(tool('last'))]),
  'long-text': () => page([...tools(1_000), JSON.stringify(tool('long', { description: 'x'.repeat(17_000_000) }))]),
  deep: () => page([...tools(10_000), '['.repeat(600) + ']'.repeat(600)]),
  pages: (cursor = 0) =>
    page(tools(900, cursor * 900), cursor < 200 ? `,"nextCursor":${JSON.stringify(String(cursor + 1))}` : ''),
  'wide-pages': (cursor = 0) =>
    page(
      [JSON.stringify(tool(cursor, { more: 'x'.repeat(3_000_000) }))],
      `,"nextCursor":${JSON.stringify(String(cursor + 1))}`,
    ),
};
/** What stands around the list, to be written piece by piece. */
const around = (id, result) => {
  if (process.env.PLAN === 'broken-end')
    return [`{"jsonrpc":"2.0","id":${id},"result":${PAGES.whole().slice(0, -2)}}}`];
  if (process.env.PLAN === 'id-last') return ['{"result":', PAGES.whole(), `,"jsonrpc":"2.0","id":${id}}`];
  return [`{"jsonrpc":"2.0","id":${id},"result":`, result, '}'];
};

function answer({ id, method, params }) {
  if (process.env.SEEN) appendFileSync(process.env.SEEN, `${method}\n`);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'big', version: '1' } };
    return [JSON.stringify({ jsonrpc: '2.0', id, result })];
  }
  if (method === 'tools/list') return around(id, PAGES[process.env.PLAN]?.(params?.cursor && Number(params.cursor)));
  if (method === 'tools/call') {
    const result = { content: [{ type: 'text', text: `called ${params.name}` }] };
    return [JSON.stringify({ jsonrpc: '2.0', id, result })];
  }
  return [JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })];
}

/** Writes tools for ever, or until a gigabyte has been sent. */
function flood(id, stream) {
  stream.write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[`);
  const chunk = `${tools(400).join(',')},`;
  let left = process.env.PLAN === 'gigabyte' ? 1_000_000_000 : Infinity;
  const more = () => {
    while (left > 0 && !stream.destroyed) {
      left -= chunk.length;
      if (stream.write(chunk)) continue;
      stream.once('drain', more);
      return;
    }
    stream.write('{}]}}\n');
  };
  more();
}
const isFlood = ({ method }) => method === 'tools/list' && ['gigabyte', 'endless'].includes(process.env.PLAN);

/** Where CHUNK says how many bytes, a long text comes in pieces, which the reader may get one by one. */
async function print(text) {
  const size = Number(process.env.CHUNK ?? text.length);
  for (let at = 0; at < text.length; at += size) {
    if (!process.stdout.write(text.slice(at, at + size))) await once(process.stdout, 'drain');
  }
}

async function serve(request, response) {
  let body = '';
  for await (const chunk of request) body += chunk;
  const message = JSON.parse(body);
  if (message.id === undefined) {
    response.writeHead(202).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.on('error', () => {});
  if (isFlood(message)) flood(message.id, response);
  else response.end(answer(message).join(''));
}

if (process.argv[2] === 'http') {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') response.writeHead(405).end();
    else void serve(request, response);
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  process.stdin.on('end', () => process.exit()).resume();
} else {
  process.stdout.on('error', () => process.exit());
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.id === undefined) return;
    if (isFlood(message)) flood(message.id, process.stdout);
    else void print(`${answer(message).join('')}\n`);
  });
}
