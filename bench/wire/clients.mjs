// The clients that make the calls; one of them, the floor, is what the others are compared with.
import { ways } from './cases.mjs';

const MB = 1024 * 1024;
const isEcho = ({ tool }) => tool === 'echo';
/** Plugboard accepts a message over 16 MB only into a spill store; in memory it is refused. */
const isForMemory = ({ bytes }) => bytes <= 16 * MB;

/**
 * In the order of the tables. `ways`: where it takes part. `floor`: what the others are compared with. `newer`: needs a
 * newer Node than the oldest that Plugboard supports, and is compared with the floor on that.
 */
export const clients = [
  { name: 'floor, by hand', file: 'clients/floor-stdio.mjs', ways: ['stdio', 'stdio modern'], floor: true },
  { name: 'floor, undici dispatch', file: 'clients/floor-undici.mjs', ways: ['http', 'http modern'], floor: true },
  { name: 'bare socket', file: 'clients/floor-socket.mjs', ways: ['http'], only: isEcho },
  { name: 'floor, undici dispatch', file: 'clients/floor-sse.mjs', ways: ['sse'], floor: true },
  { name: 'bare sockets', file: 'clients/floor-sse-socket.mjs', ways: ['sse'], only: isEcho },
  { name: 'floor, bare ws', file: 'clients/floor-ws.mjs', ways: ['ws'], floor: true },
  { name: 'floor, by hand', file: 'clients/floor-sdk.mjs', ways: ['sdk'], floor: true },
  { name: 'floor, by hand', file: 'clients/floor-in-process.mjs', ways: ['in-process'], floor: true },
  {
    name: 'plugboard',
    file: 'clients/plugboard.mjs',
    ways: ways.map(({ name }) => name),
    own: true,
    only: isForMemory,
  },
  {
    name: 'plugboard, to a file',
    file: 'clients/plugboard.mjs',
    ways: ['stdio', 'http', 'sse', 'ws'],
    own: true,
    variant: 'spill',
    only: (one) => !isForMemory(one),
  },
  {
    name: 'plugboard, signed in',
    file: 'clients/plugboard.mjs',
    ways: ['http', 'http modern'],
    own: true,
    variant: 'signed in',
    only: isEcho,
  },
  {
    name: 'SDK 2',
    package: '@modelcontextprotocol/client',
    file: '../peers/sdk2.mjs',
    ways: ['stdio', 'http', 'sse', 'stdio modern', 'http modern', 'in-process'],
  },
  {
    name: 'SDK 2, line cap raised',
    package: '@modelcontextprotocol/client',
    file: '../peers/sdk2.mjs',
    ways: ['stdio'],
    variant: 'line cap raised',
    only: (one) => !isEcho(one) && one.bytes > MB,
  },
  {
    name: 'SDK 1',
    package: '@modelcontextprotocol/sdk',
    file: '../peers/sdk1.mjs',
    ways: ['stdio', 'http', 'sse', 'in-process'],
  },
  // SDK 1 needs Node's own WebSocket, which Node 20 does not have.
  { name: 'SDK 1', package: '@modelcontextprotocol/sdk', file: '../peers/sdk1.mjs', ways: ['ws'], newer: true },
  {
    name: 'AI SDK',
    package: '@ai-sdk/mcp',
    file: '../peers/ai-sdk.mjs',
    ways: ['stdio', 'http', 'sse'],
    newer: true,
  },
  { name: 'mcporter', package: 'mcporter', file: '../peers/mcporter.mjs', ways: ['stdio', 'http'], newer: true },
];

/** Whether this client, on this Node, runs this case. */
export function takesPart({ ways: own, only = () => true, floor, node }, one) {
  if (!own.includes(one.way) || !only(one)) return false;
  return !floor || node.path === process.execPath || clients.some((peer) => peer.newer && peer.ways.includes(one.way));
}
