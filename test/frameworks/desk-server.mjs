// A stdio server for the adapters' tests, without a library. Writes every call, and every cancelled one, to a journal.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const object = (properties, required = []) => ({ type: 'object', properties, required });
/** One pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const tools = {
  'look-up': {
    description: 'Looks a word up',
    inputSchema: object({ word: { type: 'string', pattern: '^(a+)+$|^[b-z]' } }, ['word']),
    annotations: { readOnlyHint: true },
    run: ({ word }) => ({ ...text(`${word} means something`), structuredContent: { word } }),
  },
  // The same name as the one above for a framework that knows no "-".
  look_up: { inputSchema: object({}), annotations: { readOnlyHint: true }, run: () => text('the other one') },
  send: {
    description: 'Sends a letter',
    inputSchema: object({ to: { type: 'string' } }, ['to']),
    run: ({ to }) => text(`sent to ${to}`),
  },
  picture: {
    inputSchema: object({}),
    annotations: { readOnlyHint: true },
    run: () => ({
      content: [
        { type: 'text', text: 'a dot' },
        { type: 'image', mimeType: 'image/png', data: PIXEL },
      ],
    }),
  },
  fail: {
    inputSchema: object({}),
    annotations: { readOnlyHint: true },
    run: () => ({ ...text('the drawer is stuck'), isError: true }),
  },
  key: {
    inputSchema: object({}),
    annotations: { readOnlyHint: true },
    run: () => text('the key of the drawer is AKIAIOSFODNN7EXAMPLE'),
  },
  wait: { inputSchema: object({}), annotations: { readOnlyHint: true } },
};

const note = (line) => appendFileSync(process.env.JOURNAL, `${line}\n`);
const calls = new Map();
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'notifications/cancelled') note(`cancelled ${calls.get(params.requestId)}`);
  if (id === undefined) return;
  const answer = (body) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
  if (method === 'initialize') {
    const capabilities = { tools: {} };
    const { protocolVersion } = params;
    answer({
      result: { protocolVersion, capabilities, serverInfo: { name: 'desk', version: '1' }, instructions: 'Be brief.' },
    });
  } else if (method === 'tools/list') {
    const listed = Object.entries(tools).map(([name, { description, inputSchema, annotations }]) => ({
      name,
      description,
      inputSchema,
      annotations,
    }));
    answer({ result: { tools: listed } });
  } else if (method === 'tools/call') {
    const { name, arguments: input = {} } = params;
    calls.set(id, name);
    note(`${name} ${JSON.stringify(input)}`);
    const { run } = tools[name];
    if (run) answer({ result: run(input) });
  } else {
    answer({ error: { code: -32601, message: 'not here' } });
  }
});
