// The clients that open the fleets; one of them, the floor, is what the others are compared with.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNewerNode, installPeers, peerVersions } from '../lib/peers.mjs';

const PEER_TURNS = 3; // a peer runs in every third round: its ratio is so far off that more rounds would decide nothing

/**
 * In the order of the tables. `floor`: what the others are compared with. `newer`: needs a newer Node than the oldest
 * that Plugboard supports, and is compared with the floor on that. `cache`: finds the cache of its earlier run.
 */
const clients = [
  { name: 'floor, by hand', file: 'clients/floor-stdio.mjs', transports: ['stdio'], floor: true },
  { name: 'floor, node:http', file: 'clients/floor-http.mjs', transports: ['http'], floor: true },
  { name: 'plugboard', file: 'clients/plugboard.mjs', transports: ['stdio', 'http'], own: true },
  {
    name: 'plugboard, from cache',
    file: 'clients/plugboard.mjs',
    transports: ['stdio', 'http'],
    own: true,
    cache: true,
  },
  { name: 'SDK 2', package: '@modelcontextprotocol/client', file: '../peers/sdk2.mjs', transports: ['stdio', 'http'] },
  { name: 'SDK 1', package: '@modelcontextprotocol/sdk', file: '../peers/sdk1.mjs', transports: ['stdio', 'http'] },
  { name: 'AI SDK', package: '@ai-sdk/mcp', file: '../peers/ai-sdk.mjs', transports: ['stdio', 'http'], newer: true },
  { name: 'mcporter', package: 'mcporter', file: '../peers/mcporter.mjs', transports: ['stdio', 'http'], newer: true },
];

/** Whether this build has `Host`, which the bench opens fleets with. */
export function hasHost({ lib }) {
  return /\bHost\b/u.test(readFileSync(join(lib, 'index.js'), 'utf8'));
}

/** Every client that can run here, with its Node and turns; the floor also on the newer Node if a client needs it. */
export function chooseClients(world, wantsPeers) {
  const absent = [];
  const missing = wantsPeers ? installPeers() : 'left out (--no-peers)';
  if (missing !== undefined) absent.push(`Other clients: ${missing}`);
  const versions = peerVersions();
  const newer = missing === undefined ? findNewerNode() : undefined;
  const here = { path: process.execPath };
  const list = [];
  for (const each of clients) {
    const client = { ...each, file: fileURLToPath(new URL(each.file, import.meta.url)), every: 1, node: here };
    if (client.own && !hasHost(world)) {
      absent.push(`${client.name}: this build has no Host`);
    } else if (client.package === undefined) {
      list.push(client);
      if (client.floor && newer !== undefined && newer.path !== here.path) {
        list.push({ ...client, node: newer, every: PEER_TURNS, name: `${client.name}, Node ${newer.major}` });
      }
    } else if (missing === undefined && client.newer && newer === undefined) {
      absent.push(`${client.name}: needs Node 24, and this is ${process.version}`);
    } else if (missing === undefined) {
      const node = client.newer ? newer : here;
      const on = node.path === here.path ? '' : `, Node ${node.major}`;
      list.push({ ...client, node, every: PEER_TURNS, name: `${client.name} ${versions[client.package]}${on}` });
    }
  }
  return { list, absent };
}
