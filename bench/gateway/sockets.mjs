// Many connections: what one with an open stream costs, and whether thousands that do nothing disturb one that works.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { quantile } from '../lib/statistics.mjs';
import { commandOf } from '../wire/process.mjs';
import { Driver } from './driver.mjs';
import { startOurs } from './stacks.mjs';
import { memoryOf } from './usage.mjs';

const STREAMS = 1_000;
const SOCKETS = 10_000;
const QUICK_SOCKETS = 2_000;
const CALLS = 3_000;
const DRIP_MS = 1_000;
const SLICE_MS = 10;
const TEXT = 'x'.repeat(100);

if (process.argv[2] === 'bare') {
  // The floor: a client of node:http that posts something once, and then has a response that stays open.
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      const parts = [];
      request.on('data', (part) => parts.push(part));
      request.on('end', () => response.end(JSON.stringify(JSON.parse(Buffer.concat(parts).toString()))));
      return;
    }
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

/** Resident bytes for each client that has a stream open, of the gateway and of node:http alone. */
export async function measureStreams({ world }) {
  const gateway = await startOurs(world, { home: world.home('gateway-streams'), entry: stdio() });
  const bare = fork(fileURLToPath(import.meta.url), ['bare'], { env: world.env(world.folder) });
  const [port] = await once(bare, 'message');
  try {
    const driver = new Driver({ url: gateway.url, era: 'legacy' });
    await driver.open();
    await driver.call('echo', TEXT);
    const own = await growth(gateway.pids, () => openStream(gateway.url));
    const floor = await growth([bare.pid], () => openStream(`http://127.0.0.1:${port}/`, 'GET'));
    driver.close();
    return { own, floor };
  } finally {
    bare.kill();
    await gateway.close();
  }
}

async function growth(pids, open) {
  const sockets = [];
  for (let index = 0; index < STREAMS / 10; index++) sockets.push(await open()); // what is allocated once
  const before = memoryOf(pids);
  for (let index = 0; index < STREAMS; index++) sockets.push(await open());
  const bytes = (memoryOf(pids) - before) / STREAMS;
  for (const socket of sockets) socket.destroy();
  return bytes;
}

/** A session of its own with its GET stream open. */
async function openStream(url, method = 'initialize') {
  const { port, host, pathname } = new URL(url);
  let session = '';
  if (method === 'initialize') {
    const driver = new Driver({ url, era: 'legacy' });
    await driver.open();
    session = driver.sessionHead;
    driver.close();
  } else await post(host, port);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n${session}\r\n`);
  const [chunk] = await once(socket, 'data');
  if (!chunk.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(`no stream: ${chunk}`);
  return socket;
}

/** As much as a client of MCP posts to open its session: two messages over one connection. */
async function post(host, port) {
  const socket = connect(Number(port), '127.0.0.1');
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { text: TEXT } });
  const head = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  for (let count = 0; count < 2; count++) {
    socket.write(head + body);
    await once(socket, 'data');
  }
  socket.destroy();
}

/** The 99th percentile of a healthy client's calls, alone and beside sockets of which half drip a head. */
export async function measureIdle({ world, quick }) {
  const wanted = quick ? QUICK_SOCKETS : SOCKETS;
  const gateway = await startOurs(world, { home: world.home('gateway-idle'), entry: stdio() });
  const driver = new Driver({ url: gateway.url, era: 'modern' });
  const sockets = [];
  let dripping;
  try {
    await driver.open();
    await timesOf(driver);
    const alone = await timesOf(driver);
    const { port } = new URL(gateway.url);
    while (sockets.length < wanted) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      if (socket.destroyed) break;
      sockets.push(socket);
      if (sockets.length % 2 === 0) socket.write('POST /mcp HTTP/1.1\r\nX-A: ');
    }
    // A byte from each in a second, but not from all at once: the clients on the network have no common clock.
    let next = 1;
    const slice = 2 * Math.ceil(sockets.length / 2 / (DRIP_MS / SLICE_MS));
    dripping = setInterval(() => {
      for (let count = 0; count < slice; count += 2, next = (next + 2) % (sockets.length + 1) || 1) {
        if (sockets[next]?.destroyed === false) sockets[next].write('a');
      }
    }, SLICE_MS);
    const beside = await timesOf(driver);
    const open = sockets.filter(({ destroyed }) => !destroyed).length;
    return { sockets: sockets.length, open, alone: quantile(alone, 0.99), beside: quantile(beside, 0.99) };
  } finally {
    clearInterval(dripping);
    driver.close();
    for (const socket of sockets) socket.destroy();
    await gateway.close();
  }
}

async function timesOf(driver) {
  const times = [];
  for (let index = 0; index < CALLS; index++) {
    const began = performance.now();
    await driver.call('echo', TEXT);
    times.push(performance.now() - began);
  }
  return times;
}

function stdio() {
  return { type: 'stdio', ...commandOf({ transport: 'stdio', era: 'modern' }) };
}
