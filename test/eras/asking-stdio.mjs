// A server of 2025-11-25 on stdio that sends requests when a test says so:
//   `ask {method, params}`: sends the request, and returns its result
//   `hold {key}`: gets no response until `release {key}`, which may first send a request
//   `ask-later {method}`: responds, then sends the request; `told` returns the results
//   `log {data}`: logs, then responds
// The tool `job` runs only as a task; `ask-job` sends a request for a task, existing or not.
import { createInterface } from 'node:readline';

const answers = new Map();
const held = new Map();
const told = [];
let last = 0;
let jobs = 0;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
/** Writes in one chunk: the host reads what follows a response before any caller has seen the response. */
const together = (write) => {
  process.stdout.cork();
  write();
  process.stdout.uncork();
};
const give = (id, value) => send({ id, result: { content: [{ type: 'text', text: JSON.stringify(value) }] } });
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `s${++last}`;
    answers.set(id, resolve);
    send({ id, method, params });
  });

const tools = {
  ask: async (id, { method, params = {} }) => give(id, await ask(method, params)),
  hold: (id, { key }) => void held.set(key, id),
  release: async (id, { key, method }) => {
    const said = method === undefined ? {} : await ask(method, {});
    give(held.get(key), said);
    give(id, said);
  },
  'ask-later': (id, { method }) =>
    together(() => {
      give(id, 'soon');
      void ask(method, {}).then((answer) => told.push(answer));
    }),
  told: (id) => give(id, told),
  log: (id, { data }) => {
    send({ method: 'notifications/message', params: { level: 'notice', logger: 'l', data } });
    give(id, 'logged');
  },
  job: (id, { ask: method }) => {
    const taskId = `t${++jobs}`;
    const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId } } };
    together(() => {
      send({ id, result: { task: { taskId, status: 'working', ttl: 60_000, pollInterval: 50 } } });
      void ask(method, related).then((answer) => done.set(taskId, answer));
    });
  },
  'ask-job': async (id, { taskId, method }) =>
    give(id, await ask(method, { _meta: { 'io.modelcontextprotocol/related-task': { taskId } } })),
};
const done = new Map();

const definitions = ['ask', 'hold', 'job'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
  ...(name === 'job' && { execution: { taskSupport: 'required' } }),
}));

const methods = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
    serverInfo: { name: 'asking', version: '1' },
  }),
  'tools/list': () => ({ tools: definitions }),
  'tasks/get': ({ taskId }) => ({
    taskId,
    status: done.has(taskId) ? 'completed' : 'working',
    ttl: 60_000,
    pollInterval: 50,
  }),
  'tasks/result': ({ taskId }) => ({ content: [{ type: 'text', text: JSON.stringify(done.get(taskId)) }] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === 'tools/call') void tools[params.name](id, params.arguments);
  else if (methods[method]) send({ id, result: methods[method](params) });
  else if (method === undefined) answers.get(id)?.(result ?? { error });
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
});
