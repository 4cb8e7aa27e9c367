// Plugboard, as a program that embeds it uses it: a rule that allows, the ledger on, results shaped.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { echo } from '../../wire/servers/in-process.mjs';

const LEDGER_MS = 150; // longer than the ledger gathers lines

const entries = {
  stdio: ({ command, args }) => ({ command, args }),
  http: ({ url }) => ({ type: 'http', url }),
  'in-process': () => ({ type: 'in-process', name: 'bench' }),
};

export async function openDoor({ transport, servers, variant, lib }) {
  const { Host } = await import(pathToFileURL(join(lib, 'index.js')).href);
  const mcpServers = Object.fromEntries(servers.map((server, at) => [`bench${at}`, entries[transport](server)]));
  const hook = { run: () => undefined };
  const host = await Host.open({
    cwd: process.cwd(),
    env: process.env,
    mcpConfig: [JSON.stringify({ mcpServers })],
    strict: true,
    watch: false,
    permissions: { allow: ['mcp__*'] },
    embedded: new Map([['bench', { connect: serve }]]),
    ...(variant === 'hooks' && { hooks: { preToolUse: [hook], postToolUse: [hook] } }),
  });
  await host.settled();
  return {
    calls: servers.map((_, at) => (tool, input) => host.call({ name: `mcp__bench${at}__${tool}`, input })),
    /** Waits until the ledger is on disk, so that the CPU for writing it is counted. */
    written: () => new Promise((done) => setTimeout(done, LEDGER_MS)),
    sizeOf: ({ content, saved }) => saved[0]?.bytes ?? content[0].text.length,
    explain: () => host.servers().find(({ error }) => error !== undefined)?.error,
    close: () => host.close(),
  };
}

function serve(end) {
  Object.assign(end, { onmessage: answer });

  function answer({ id, method, params }) {
    if (id === undefined) return;
    void end.send({ jsonrpc: '2.0', id, ...reply(method, params) });
  }
}

const inputSchema = { type: 'object', properties: { text: { type: 'string' }, bytes: { type: 'integer' } } };

function reply(method, params) {
  if (method === 'tools/call') return { result: echo(params) };
  if (method === 'tools/list') return { result: { tools: [{ name: 'echo', description: 'Echo', inputSchema }] } };
  if (method === 'initialize') return { result: agree(params) };
  return { error: { code: -32_601, message: 'Method not found' } };
}

function agree({ protocolVersion }) {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bench', version: '1.0.0' } };
}
