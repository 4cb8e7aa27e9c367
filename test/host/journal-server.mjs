// A stdio server that records every call it runs in a file, independent of the host. Legacy unless ERA says otherwise.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { JOURNAL, VERSION = '1.0.0', BOOT_MS = '0', TOOLS = '', NOISE, EXIT_AFTER_MS, STARTS } = process.env;
// EXIT_AFTER_HANDSHAKE_MS: exits that long after each handshake. BROKEN_BY: exits at the start if this file exists.
// DEAF: ignores the end of stdin. CHILD: starts a child that keeps stderr open, and with `stdout` stdout as well.
const { EXIT_AFTER_HANDSHAKE_MS, BROKEN_BY, DEAF, CHILD, ERA } = process.env;
// The first process of the server never answers a call with `isHeldByFirst`.
const isFirst = STARTS !== undefined && !(existsSync(STARTS) && readFileSync(STARTS, 'utf8'));
if (STARTS) appendFileSync(STARTS, `${process.pid}\n`);
if (EXIT_AFTER_MS) setTimeout(() => process.exit(7), Number(EXIT_AFTER_MS));
if (BROKEN_BY && existsSync(BROKEN_BY)) process.exit(8);
if (CHILD) spawn('sleep', ['60'], { stdio: ['ignore', CHILD === 'stdout' ? 'inherit' : 'ignore', 'inherit'] });
if (DEAF) setInterval(() => {}, 60_000);
if (NOISE) console.log(NOISE);

const schema = { type: 'object', properties: { key: { type: 'string' }, ms: { type: 'number' } } };
const tool = (name, annotations = {}) => ({ name, description: `the tool ${name}`, inputSchema: schema, annotations });
const tools = [
  tool('read', { readOnlyHint: true }),
  tool('put', { idempotentHint: true }),
  tool('append'),
  tool('die'),
  tool('grow'),
  ...TOOLS.split(',')
    .filter(Boolean)
    .map((name) => tool(name)),
];

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

async function call({ name, arguments: input = {} }) {
  if (JOURNAL) appendFileSync(JOURNAL, `${name} ${input.key ?? ''} ${process.pid}\n`);
  if (name === 'die') process.kill(process.pid, 'SIGKILL');
  if (name === 'grow') {
    tools.push(tool(input.key ?? `grown-${tools.length}`));
    send({ method: 'notifications/tools/list_changed' });
  }
  if (input.isHeldByFirst && isFirst) await new Promise(() => {});
  if (input.ms) await new Promise((done) => setTimeout(done, input.ms));
  return { content: [{ type: 'text', text: `${name} ${input.key ?? ''}`.trim() }] };
}

const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'journal', version: VERSION },
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
    instructions: 'Write it down.',
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'resources/list': () => ({ resources: [{ uri: 'file:///journal', name: 'the journal' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'file:///{page}', name: 'a page' }] }),
  'prompts/list': () => ({ prompts: [{ name: 'sum-up', description: 'what happened' }] }),
  'tools/call': call,
};

async function take({ id, method, params }) {
  if (method === 'notifications/initialized' && EXIT_AFTER_HANDSHAKE_MS) {
    setTimeout(() => process.exit(7), Number(EXIT_AFTER_HANDSHAKE_MS));
  }
  if (id === undefined) return;
  const answer = answers[method];
  if (answer) send({ id, result: { ...(ERA === 'modern' && { resultType: 'complete' }), ...(await answer(params)) } });
  else send({ id, error: { code: -32601, message: 'Method not found' } });
}

if (ERA === 'modern') {
  answers['server/discover'] = () => ({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
}

setTimeout(() => {
  createInterface({ input: process.stdin }).on('line', (line) => void take(JSON.parse(line)));
  process.stdin.once('end', () => DEAF || process.exit(0));
}, Number(BOOT_MS));
