// Many Streamable HTTP servers in one process, one for each path, and two more ports: one that accepts connections and
// never responds, and one on which nothing listens. Exits when stdin ends.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createSilence } from 'node:net';
import { openTally } from './tally.mjs';

const servers = new Map();
const streams = new Set();
const sockets = new Set();
let handshakes = 0;
let deleted = 0;

function serverAt(path) {
  let server = servers.get(path);
  if (!server) servers.set(path, (server = { answer: openTally(), sessions: new Set() }));
  return server;
}

function figures() {
  let sessions = 0;
  for (const server of servers.values()) sessions += server.sessions.size;
  // Without the connection of this request.
  return { sessions, handshakes, deleted, streams: streams.size, sockets: sockets.size - 1 };
}

async function take(request, response) {
  if (request.url === '/figures') return void response.setHeader('connection', 'close').end(JSON.stringify(figures()));
  const { answer, sessions } = serverAt(request.url);
  let body = '';
  for await (const piece of request) body += piece;
  const message = body === '' ? undefined : JSON.parse(body);
  const session = request.headers['mcp-session-id'];
  if (message?.method === 'initialize') {
    handshakes++;
    const id = randomUUID();
    sessions.add(id);
    response.setHeader('mcp-session-id', id);
  } else if (message?.method !== 'server/discover' && !sessions.has(session)) {
    return void response.writeHead(404).end('no such session');
  }
  if (request.method === 'DELETE') {
    deleted++;
    sessions.delete(session);
    return void response.end();
  }
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    streams.add(response);
    return void response.once('close', () => streams.delete(response));
  }
  if (message?.id === undefined) return void response.writeHead(202).end();
  const text = JSON.stringify(await answer(message));
  return void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

const port = (server) =>
  new Promise((done) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 }, () => done(server.address().port)),
  );

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void take(request, response));
server.on('connection', (socket) => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
});
const silence = createSilence((socket) => socket.on('error', () => {}).resume());
const nobody = createSilence();
const ports = { open: await port(server), silent: await port(silence), refused: await port(nobody) };
await new Promise((done) => nobody.close(done));
process.stdin.once('end', () => process.exit(0)).resume();
console.log(JSON.stringify(ports));
