// A server that keeps state for each session, on stdio or, with `--http`, on Streamable HTTP at a port that it prints.
// `--era modern`: it asks inside its results and keeps no session. Its tools:
//   `count`: how often this session has called it             `pid`: the process
//   `sessions`: how many there are over HTTP                  `forget`: forgets them
//   `told`: what it was told of its client                    `levels`: the levels that were set
//   `ask {method, params}`: asks, and returns the answer      `log {level, data}`: logs, then responds
//   `riddle {nonce, questions}`: asks so many questions one after the other, each with the nonce in its message
//   `large {mb}`: returns so much text                        `grow`: adds a tool for all sessions, and says so
//   `job`: runs only as a task, and asks for its sake         `touch`: says that what is watched has changed
//   `hold`: responds when the call is cancelled, or never     `die`: ends the process
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const isModern = process.argv.includes('modern');
const names = [
  'count',
  'pid',
  'told',
  'levels',
  'ask',
  'log',
  'riddle',
  'hold',
  'die',
  'touch',
  'large',
  'grow',
  'sessions',
  'forget',
];
const inputSchema = { type: 'object' };
const grown = process.env.GROWN;
const listTools = () => [
  ...names.map((name) => ({ name, inputSchema })),
  { name: 'job', inputSchema, ...(!isModern && { execution: { taskSupport: 'required' } }) },
  ...(grown !== undefined && existsSync(grown) ? [{ name: 'grown', inputSchema }] : []),
];
const capabilities = {
  tools: { listChanged: true },
  logging: {},
  prompts: {},
  resources: { subscribe: true },
  completions: {},
  ...(!isModern && { tasks: { requests: { tools: { call: {} } } } }),
};
const serverInfo = { name: 'laned', version: '1' };
const form = (nonce) => ({ message: String(nonce), requestedSchema: { type: 'object', properties: {} } });
const text = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});

/** One legacy session. `send(message, call)`: on the channel of this call where there is one. */
class Session {
  #answers = new Map();
  #levels = [];
  #client = {};
  #count = 0;
  #asked = 0;
  #watched = new Set();
  #jobs = new Map();

  take(message, send) {
    const { id, method, params = {} } = message;
    if (method === undefined) return this.#answers.get(id)?.(message.result ?? { error: message.error });
    if (method === 'notifications/initialized' && process.argv.includes('--roots'))
      return void this.#ask(send, 'roots/list', {}).then((said) => (this.#client = { ...this.#client, said }));
    if (id === undefined) return undefined;
    return void this.#answer(method, params, send).then(
      (result) => send({ id, result }, true),
      (error) => send({ id, error: { code: -32601, message: error.message } }, true),
    );
  }

  #ask(send, method, params) {
    const id = `q${++this.#asked}`;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      send({ id, method, params });
    });
  }

  async #answer(method, params, send) {
    switch (method) {
      case 'initialize':
        this.#client = params;
        return { protocolVersion: '2025-11-25', capabilities, serverInfo };
      case 'ping':
        return {};
      case 'logging/setLevel':
        this.#levels.push(params.level);
        return {};
      case 'resources/subscribe':
        this.#watched.add(params.uri);
        return {};
      case 'resources/unsubscribe':
        this.#watched.delete(params.uri);
        return {};
      case 'tasks/get':
        return {
          taskId: params.taskId,
          status: this.#jobs.get(params.taskId) ? 'completed' : 'working',
          pollInterval: 50,
        };
      case 'tasks/result':
        return text(this.#jobs.get(params.taskId));
      case 'completion/complete':
        return { completion: { values: [String(++this.#count)] } };
      case 'tools/call':
        return this.#call(params, send);
      default:
        return answerList(method, params, () => ++this.#count);
    }
  }

  async #call({ name, arguments: given = {}, _meta: meta, task }, send) {
    switch (name) {
      case 'job': {
        if (task === undefined) throw new Error('only as a task');
        const taskId = `t${this.#jobs.size}`;
        this.#jobs.set(taskId, undefined);
        const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId } } };
        setTimeout(
          () =>
            void this.#ask(send, 'elicitation/create', { ...form('job'), ...related }).then((said) =>
              this.#jobs.set(taskId, said),
            ),
          20,
        );
        return { task: { taskId, status: 'working', ttl: 60_000, pollInterval: 50 } };
      }
      case 'forget':
        sessions.clear();
        return text('forgotten');
      case 'sessions':
        return text(sessions.size);
      case 'large':
        return text('x'.repeat(given.mb * 1_000_000));
      case 'grow':
        writeFileSync(grown, '');
        send({ method: 'notifications/tools/list_changed' });
        return text('grown');
      case 'count':
        return text(++this.#count);
      case 'pid':
        return text(process.pid);
      case 'told':
        return text({ ...this.#client, meta, watched: [...this.#watched] });
      case 'levels':
        return text(this.#levels);
      case 'ask':
        return text(await this.#ask(send, given.method, given.params ?? form('?')));
      case 'log':
        send({ method: 'notifications/message', params: { level: given.level, data: given.data } });
        return text('logged');
      case 'riddle': {
        const said = [];
        for (let turn = 0; turn < given.questions; turn++) {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
          said.push(await this.#ask(send, 'elicitation/create', form(given.nonce)));
        }
        return text({ nonce: given.nonce, said });
      }
      case 'touch':
        for (const uri of this.#watched) send({ method: 'notifications/resources/updated', params: { uri } });
        return text('touched');
      case 'hold':
        return new Promise(() => {});
      case 'die':
        process.exit(3);
    }
    throw new Error(`no tool ${name}`);
  }
}

function answerList(method, params, next) {
  switch (method) {
    case 'tools/list':
      return { tools: listTools() };
    case 'prompts/list':
      return { prompts: [{ name: 'counted', arguments: [{ name: 'what', required: true }] }] };
    case 'prompts/get':
      return { messages: [{ role: 'user', content: { type: 'text', text: `${next()}` } }] };
    case 'resources/list':
      return { resources: [{ uri: 'count://now', name: 'now' }] };
    case 'resources/templates/list':
      return { resourceTemplates: [] };
    case 'resources/read':
      if (params.uri === 'count://none') throw new Error('no such resource');
      return { contents: [{ uri: params.uri, text: `${next()}` }] };
  }
  throw new Error('Method not found');
}

const asking = (inputRequests, state) => ({ resultType: 'input_required', inputRequests, requestState: state });
const sessions = new Map();
let counted = 0;
/** A modern request stands alone. */
function answerModern(method, params) {
  const cached = { ttlMs: 0, cacheScope: 'private' };
  if (method === 'server/discover') return { supportedVersions: ['2026-07-28'], capabilities, serverInfo, ...cached };
  const { inputResponses, requestState, _meta: meta = {} } = params;
  if (method === 'prompts/get' && params.name === 'counted' && inputResponses === undefined)
    return asking({ what: { method: 'elicitation/create', params: form('what') } }, 'prompt');
  if (method === 'prompts/get')
    return { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(inputResponses) } }] };
  if (method === 'resources/read' && params.uri === 'count://asked' && inputResponses === undefined)
    return asking({ r: { method: 'roots/list' } }, 'resource');
  if (method === 'resources/read')
    return { contents: [{ uri: params.uri, text: JSON.stringify(inputResponses ?? ++counted) }], ...cached };
  if (method !== 'tools/call') return { ...answerList(method, params, () => ++counted), ...cached };
  const { name, arguments: given = {} } = params;
  if (name === 'count') return text(++counted);
  if (name === 'pid') return text(process.pid);
  if (name === 'told') return text({ meta });
  if (name === 'ask' && inputResponses === undefined)
    return asking({ k: { method: given.method, params: given.params ?? form('?') } }, `state of ${given.nonce ?? ''}`);
  if (name === 'ask') return text({ inputResponses, requestState });
  if (name === 'riddle') {
    const said = requestState === undefined ? [] : [...JSON.parse(requestState), inputResponses.k];
    if (said.length === given.questions) return text({ nonce: given.nonce, said });
    return asking({ k: { method: 'elicitation/create', params: form(given.nonce) } }, JSON.stringify(said));
  }
  throw new Error(`no tool ${name}`);
}

const send = (message) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

if (process.argv.includes('--http')) {
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      if (request.method === 'POST') post(JSON.parse(body), request.headers['mcp-session-id'], response);
      else response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      if (request.method === 'DELETE') sessions.delete(request.headers['mcp-session-id']);
    });
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
} else {
  const session = new Session();
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    if (!isModern) return session.take(message, send);
    const { id, method, params = {} } = message;
    if (id === undefined) return undefined;
    try {
      return send({ id, result: answerModern(method, params) });
    } catch (error) {
      return send({ id, error: { code: -32601, message: error.message } });
    }
  });
}

function post(message, sessionId, response) {
  const { id, method, params = {} } = message;
  if (isModern) sendModern(response, { id, method, params });
  else if (method === 'initialize') {
    const made = randomUUID();
    sessions.set(made, new Session());
    response.setHeader('mcp-session-id', made);
    answerOn(response, sessions.get(made), message);
  } else if (method === 'server/discover')
    sendJson(response, { id, error: { code: -32601, message: 'Method not found' } });
  else if (!sessions.has(sessionId)) response.writeHead(404).end();
  else answerOn(response, sessions.get(sessionId), message);
}

function answerOn(response, session, message) {
  if (message.id === undefined || message.method === undefined) {
    session.take(message, () => {});
    response.writeHead(202).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  session.take(message, (one, isLast) => {
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...one })}\n\n`);
    if (isLast) response.end();
  });
}

function sendModern(response, { id, method, params }) {
  if (id === undefined) response.writeHead(202).end();
  else {
    try {
      sendJson(response, { id, result: { resultType: 'complete', ...answerModern(method, params) } });
    } catch (error) {
      sendJson(response, { id, error: { code: -32601, message: error.message } });
    }
  }
}

function sendJson(response, message) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', ...message }));
}
