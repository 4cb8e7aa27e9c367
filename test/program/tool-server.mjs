// A stdio server for tests of the program, without a library: its tools return every kind of content.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const object = (properties, required = []) => ({ type: 'object', properties, required });
const tools = {
  echo: { inputSchema: object({ text: { type: 'string' } }, ['text']), run: (input) => text(JSON.stringify(input)) },
  add: {
    description: 'Adds two numbers\nand says so',
    inputSchema: object(
      { a: { type: 'number' }, b: { type: 'integer' }, list: { type: 'array' }, on: { type: 'boolean' } },
      ['a'],
    ),
    annotations: { readOnlyHint: true, title: 'Sum' },
    run: (input) => text(JSON.stringify(input)),
  },
  fail: {
    inputSchema: object({ as: {} }),
    run: ({ as = true }) => ({ ...text('the disk is full'), isError: as }),
  },
  refuse: { inputSchema: object({}), error: { code: -32000, message: 'not \u001b[31mtoday' } },
  ansi: { inputSchema: object({}), run: () => text('\u001b[31mred\u001b[0m \u202Eevil') },
  picture: {
    inputSchema: object({}),
    run: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] }),
  },
  rows: {
    inputSchema: object({ said: { type: 'string' } }),
    outputSchema: object({ n: { type: 'number' } }, ['n']),
    run: ({ said }) => ({ content: said ? text(said).content : [], structuredContent: { n: 1 } }),
  },
  liar: {
    inputSchema: object({ said: { type: 'string' } }),
    outputSchema: object({ n: { type: 'number' } }, ['n']),
    run: ({ said }) => ({ content: said ? text(said).content : [], structuredContent: { n: 'one' } }),
  },
  large: {
    inputSchema: object({ bytes: { type: 'integer' } }),
    run: ({ bytes }) => text('0123456789abcdef'.repeat(bytes / 16)),
  },
  never: { inputSchema: object({}) },
  die: { inputSchema: object({}), run: () => (process.stderr.write('first words\nlast words\n'), process.exit(7)) },
  broken: { inputSchema: 'no schema' },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (process.env.JOURNAL) appendFileSync(process.env.JOURNAL, `${method}\n`);
  if (id === undefined) return;
  const answer = (body) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
  if (method === 'initialize') {
    if (process.env.NOISE) process.stdout.write(`${process.env.NOISE}\n`);
    answer({
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'tools', version: '1' },
      },
    });
  } else if (method === 'tools/list')
    answer({
      result: {
        tools: Object.entries(tools).map(([name, tool]) => ({ name, ...tool, run: undefined, error: undefined })),
      },
    });
  else if (method === 'tools/call') {
    const { run, error } = tools[params.name];
    if (error) answer({ error });
    else if (run) answer({ result: run(params.arguments) });
  } else answer({ error: { code: -32601, message: 'Method not found' } });
});
