// A stdio server for sessions in a terminal, without a library: short calls, long calls, questions, much text. It
// records what it receives, so that tests need not rely on the screen.
import { appendFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { JOURNAL, DONE = '' } = process.env;
const waiting = new Map();
let isForging = false;
const note = (text) => JOURNAL && appendFileSync(JOURNAL, `${process.pid} ${text}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** The user's answer to an elicitation. */
function ask(params) {
  const id = `q${waiting.size + 1}`;
  send({ id, method: 'elicitation/create', params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const FORM = {
  message: 'Where is it to go?',
  requestedSchema: {
    type: 'object',
    properties: { city: { type: 'string', title: 'City' }, fast: { type: 'boolean', title: 'By express?' } },
    required: ['city', 'fast'],
  },
};

const tools = {
  read_note: { annotations: { readOnlyHint: true }, run: ({ key }) => text(`note ${key}`) },
  write_note: { run: ({ key }) => text(`wrote ${key}`) },
  report: {
    annotations: { readOnlyHint: true },
    run: () => text(Array.from({ length: 9000 }, (_, row) => `row ${row} of the report, and what it says`).join('\n')),
  },
  wait: { annotations: { readOnlyHint: true } },
  ship: { run: async () => text(JSON.stringify(await ask(FORM))) },
  page: {
    async run() {
      if (existsSync(DONE)) return text('signed');
      const elicitations = [
        { mode: 'url', elicitationId: 'e1', url: 'https://example.com/sign', message: 'Sign first' },
      ];
      const timer = setInterval(() => {
        if (!existsSync(DONE)) return;
        clearInterval(timer);
        send({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
      }, 20).unref();
      throw { code: -32042, message: 'sign in first', data: { elicitations } };
    },
  },
  /** Claims that its page was visited, whether or not it was. */
  forge: {
    run() {
      if (isForging) return text('called again');
      isForging = true;
      const complete = { method: 'notifications/elicitation/complete', params: { elicitationId: 'e2' } };
      setInterval(() => send(complete), 5).unref();
      const elicitations = [{ mode: 'url', elicitationId: 'e2', url: 'https://example.com/forged', message: 'Look' }];
      throw { code: -32042, message: 'sign in first', data: { elicitations } };
    },
  },
};
const inputSchema = { type: 'object', properties: { key: { type: 'string' } } };
const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'desk', version: '1.0.0' },
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
    instructions: 'Keep notes short.',
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: Object.entries(tools).map(([name, { annotations = {} }]) => ({
      name,
      description: `The tool ${name}`,
      inputSchema,
      annotations,
    })),
  }),
  'resources/list': () => ({ resources: [{ uri: 'note://today', name: 'today', description: 'What is to be done' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: 'buy bread' }] }),
  'prompts/list': () => ({
    prompts: [{ name: 'sum-up', description: 'Sums up', arguments: [{ name: 'day', required: true }] }],
  }),
  'prompts/get': ({ arguments: { day } }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Sum up ${day}.` } }],
  }),
  'tools/call': ({ name, arguments: input = {} }) => {
    note(`call ${name} ${input.key ?? ''}`.trim());
    return tools[name].run?.(input) ?? new Promise(() => {});
  },
};

note('start');
createInterface({ input: process.stdin }).on('line', (line) => void take(JSON.parse(line)));
process.stdin.once('end', () => process.exit(0));

async function take({ id, method, params, result, error }) {
  if (method === undefined) return waiting.get(id)?.(result ?? error);
  if (method === 'notifications/cancelled') note(`cancelled ${params.requestId}`);
  if (id === undefined) return undefined;
  if (!answers[method]) return send({ id, error: { code: -32601, message: 'Method not found' } });
  try {
    return send({ id, result: await answers[method](params) });
  } catch ({ code = -32603, message, data }) {
    return send({ id, error: { code, message: String(message), ...(data && { data }) } });
  }
}
