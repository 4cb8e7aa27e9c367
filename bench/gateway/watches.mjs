// Many watches: whether clients that begin to watch all of a server's resources at once disturb one that works.
import { connect } from 'node:net';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { quantile } from '../lib/statistics.mjs';
import { Driver } from './driver.mjs';
import { startOurs } from './stacks.mjs';
import { cpuOf } from './usage.mjs';

const WATCHED = 900;
const CLIENTS = { modern: 200, legacy: 10 };
const QUICK = { modern: 50, legacy: 3 };
const CALLS = 500;
const TEXT = 'x'.repeat(100);
const uris = Array.from({ length: WATCHED }, (_, index) => `many://${index}`);
const script = fileURLToPath(new URL('servers/many-resources.mjs', import.meta.url));
const entry = { type: 'stdio', command: process.execPath, args: [script, String(WATCHED)] };

/**
 * For each era of clients: ms of a healthy client's calls, alone and while all watches begin, and the gateway's CPU for
 * one watch, in us. Modern clients name all resources in one request, legacy ones in a request each.
 */
export async function measureWatches({ world, quick }) {
  const found = [];
  for (const [era, watch] of Object.entries({ modern: listen, legacy: subscribe })) {
    const clients = (quick ? QUICK : CLIENTS)[era];
    const gateway = await startOurs(world, { home: world.home(`gateway-watches-${era}`), entry });
    const driver = new Driver({ url: gateway.url, era: 'modern' });
    try {
      await driver.open();
      await timesOf(driver, (count) => count < CALLS);
      const alone = await timesOf(driver, (count) => count < CALLS);
      const before = cpuOf(gateway.pids);
      const began = performance.now();
      let isOver = false;
      const watching = Promise.all(Array.from({ length: clients }, () => watch(gateway.url))).finally(
        () => (isOver = true),
      );
      const beside = await timesOf(driver, () => !isOver);
      const sockets = await watching;
      const tookMs = performance.now() - began;
      const cpuUs = ((cpuOf(gateway.pids) - before) * 1_000) / (clients * WATCHED);
      for (const socket of sockets) socket.destroy();
      found.push({ era, clients, tookMs, cpuUs, calls: beside.length, ...quantiles({ alone, beside }) });
    } finally {
      driver.close();
      await gateway.close();
    }
  }
  return found;
}

function quantiles(times) {
  return Object.fromEntries(
    Object.entries(times).map(([name, all]) => [name, { p50: quantile(all, 0.5), p99: quantile(all, 0.99) }]),
  );
}

async function timesOf(driver, goesOn) {
  const times = [];
  do {
    const began = performance.now();
    await driver.call('echo', TEXT);
    times.push(performance.now() - began);
  } while (goesOn(times.length));
  return times;
}

/** Resolves with the open socket when the gateway has acknowledged. */
async function listen(url) {
  const { port, host, pathname } = new URL(url);
  const version = '2026-07-28';
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: {
      notifications: { resourceSubscriptions: uris },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'watcher', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
  const socket = connect(Number(port), '127.0.0.1');
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAccept: text/event-stream, application/json\r\nMCP-Protocol-Version: ${version}\r\nMcp-Method: subscriptions/listen\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.write(head + body);
  let text = '';
  while (!text.includes(`"${uris.at(-1)}"]`)) text += (await once(socket, 'data'))[0];
  return socket;
}

/** Resolves with the socket of the open stream when each subscription has been answered. */
async function subscribe(url) {
  const driver = new Driver({ url, era: 'legacy' });
  await driver.open();
  const { port, host, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n${driver.sessionHead}\r\n`);
  await once(socket, 'data');
  for (const uri of uris) await driver.request('resources/subscribe', { uri });
  driver.close();
  return socket;
}
