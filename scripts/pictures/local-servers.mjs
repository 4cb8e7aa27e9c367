// The MCP servers that the pictures show beside those of demo/: `node local-servers.mjs NAME` serves one on stdio,
// `openRemoteServers` serves the others on loopback.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { answering } from '../../demo/servers/answer.mjs';
import { openWeather } from '../../demo/servers/weather.mjs';

const string = { type: 'string' };
const reads = { readOnlyHint: true, openWorldHint: false };

function tool(description, { properties = {}, required = Object.keys(properties), annotations = reads, run }) {
  return { description, inputSchema: { type: 'object', properties, required }, annotations, run };
}

const servers = {
  issues: {
    search_issues: tool('Finds issues by words and state', {
      properties: { query: string, state: { type: 'string', enum: ['open', 'closed'] } },
      required: ['query'],
      run: () => ['#412 Crash when a server restarts during a call', '#397 Crash on an empty result'].join('\n'),
    }),
    read_issue: tool('Gives an issue with its comments', {
      properties: { number: { type: 'integer' } },
      run: () => '',
    }),
    close_issue: tool('Closes an issue', {
      properties: { number: { type: 'integer' }, comment: string },
      required: ['number'],
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      run: ({ number }) => `#${number} is closed`,
    }),
  },
  files: {
    read_file: tool('Reads a file', {
      properties: { path: string },
      run: () => 'export const limits = {\n  connectMs: 30_000,\n  retries: 3,\n};',
    }),
    edit_file: tool('Replaces a text in a file', {
      properties: { path: string, old_string: string, new_string: string },
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
      run: ({ path }) => `${path} is changed`,
    }),
  },
  builds: {
    list_builds: tool('Lists the last builds of a branch', {
      properties: { branch: string },
      run: () => '2041 passed  Answer an empty result (fixes #397)\n2040 passed  Update dependencies',
    }),
    read_log: tool('Reads the log of a build', { properties: { build: { type: 'integer' } }, run: () => '' }),
    start_build: tool('Builds a branch', { properties: { branch: string }, annotations: {}, run: () => '' }),
  },
  metrics: {
    query: tool('Reads a metric over a period', {
      properties: { name: string, hours: { type: 'number' } },
      run: () => '',
    }),
    list_metrics: tool('Lists what is measured', { run: () => '' }),
  },
};

function serveStdio(name) {
  const answer = answerOf(name);
  const reply = async (line) => {
    const response = await answer(JSON.parse(line));
    if (response) process.stdout.write(`${JSON.stringify(response)}\n`);
  };
  createInterface({ input: process.stdin }).on('line', (line) => void reply(line));
}

/** One server speaks the protocol of 2026-07-28, which begins with server/discover; the others that of 2025-11-25. */
const modern = 'files';

function answerOf(name) {
  const answer = answering(name, servers[name]);
  const serverInfo = { name, version: '1.0.0' };
  const about = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo };
  return async (message) => {
    if (name !== modern) return answer(message);
    const { id, method } = message;
    if (method === 'server/discover') return { jsonrpc: '2.0', id, result: { resultType: 'complete', ...about } };
    const response = await Promise.resolve(answer(message));
    return response?.result ? { ...response, result: { resultType: 'complete', ...response.result } } : response;
  };
}

/** Resolves with the URLs of the servers by name, when all of them listen. */
export async function openRemoteServers() {
  const weather = await openWeather(0);
  const builds = await listen(serveSse(answerOf('builds')));
  const metrics = await listen(createServer((_request, response) => response.writeHead(426).end()));
  serveWebSocket(metrics.server, answerOf('metrics'));
  const wiki = await listen(createServer(refuse));
  return {
    urls: {
      weather: `http://127.0.0.1:${weather.port}/mcp`,
      builds: `http://127.0.0.1:${builds.port}/sse`,
      metrics: `ws://127.0.0.1:${metrics.port}/mcp`,
      wiki: `http://127.0.0.1:${wiki.port}/mcp`,
    },
    close() {
      weather.close();
      for (const { server } of [builds, metrics, wiki]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function listen(server) {
  await new Promise((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  return { server, port: server.address().port };
}

/** HTTP+SSE, the transport of 2024-11-05: a stream that names the endpoint for messages, and carries the responses. */
function serveSse(answer) {
  const streams = new Map();
  const serve = async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
    if (request.method === 'GET' && pathname === '/sse') {
      const id = String(streams.size + 1);
      streams.set(id, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.write(`event: endpoint\ndata: /message?session=${id}\n\n`);
    }
    const stream = streams.get(searchParams.get('session'));
    if (request.method !== 'POST' || !stream) return response.writeHead(405).end();
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const reply = await answer(JSON.parse(body));
    response.writeHead(202).end();
    return reply && stream.write(`data: ${JSON.stringify(reply)}\n\n`);
  };
  return createServer((request, response) => void serve(request, response));
}

function serveWebSocket(server, answer) {
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'mcp' });
  sockets.on('connection', (socket) => {
    const reply = async (text) => {
      const response = await answer(JSON.parse(text));
      if (response) socket.send(JSON.stringify(response));
    };
    socket.on('message', (data) => void reply(Buffer.from(data).toString()));
  });
}

/** A server that wants a sign-in, and does not get one here. */
function refuse(_request, response) {
  response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serveStdio(process.argv[2]);
