// `npm start`: Plugboard with the servers of demo/.mcp.json. On a terminal it opens a session; elsewhere it uses the
// library to show the servers' states, makes one call on each transport, and ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clock } from '../demo/servers/clock.mjs';
import { openWeather } from '../demo/servers/weather.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const calls = [
  { server: 'notes', tool: 'list_notes', input: {} },
  { server: 'weather', tool: 'forecast', input: { city: 'Lisbon' } },
  { server: 'clock', tool: 'now', input: {} },
];
const glyphs = { connected: '✔', failed: '✘', 'needs-auth': '!', idle: '○' };

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
// Until there is another listener: a process that is killed by a signal runs no exit handlers, so cleans up nothing.
for (const signal of signals)
  process.once(signal, () => {
    if (process.listenerCount(signal) === 0) process.exit(130);
  });
// Cache and state of the demo are temporary: its HTTP server has another URL the next time.
const scratch = mkdtempSync(join(tmpdir(), 'plugboard-demo-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const weather = await openWeather(0);
const embedded = new Map([['clock', clock]]);
const demo = {
  PLUGBOARD_DEMO_PORT: String(weather.port),
  XDG_CACHE_HOME: join(scratch, 'cache'),
  XDG_STATE_HOME: join(scratch, 'state'),
};
if (process.stdin.isTTY && process.stdout.isTTY) openSession();
else await showDemo();

/** Runs the program in this process, because one of the servers is in it. */
function openSession() {
  const program = join(root, 'dist/plugboard.js');
  // Loaded before the folders change, so that it finds the code that V8 compiled in this user's earlier sessions.
  const launcher = createRequire(import.meta.url)(program);
  const flags = ['--cwd', join(root, 'demo'), '--mcp-config', '.mcp.json', '--strict-mcp-config'];
  process.argv = [process.argv[0], program, ...flags, ...process.argv.slice(2)];
  Object.assign(process.env, demo);
  print('The demo: three servers. Try /call notes.list_notes, /mcp and /help.\n');
  launcher.open('program', embedded);
}

async function showDemo() {
  const { Host } = await import('../dist/lib/index.js');
  const host = await Host.open({
    cwd: join(root, 'demo'),
    mcpConfig: ['.mcp.json'],
    strict: true,
    watch: false,
    embedded,
    env: { ...process.env, ...demo },
  });
  let isEnding = false;
  const end = async (code) => {
    isEnding = true;
    await host[Symbol.asyncDispose]();
    weather.close();
    process.exit(code);
  };
  // Ctrl-C ends the servers, too, and so does a reader of stdout that is gone (`| head -1`).
  for (const signal of signals) process.once(signal, () => void end(130));
  process.stdout.on('error', () => void end(1));
  await host.settled();
  showServers(host);
  let failures = host.servers().filter(({ status }) => status !== 'connected').length;
  print('\nOne call on each transport:');
  for (const call of calls) if (!isEnding && !(await isMade(host, call))) failures++;
  if (!isEnding) await end(failures === 0 ? 0 : 1);
}

function showServers(host) {
  const rows = host.servers().map(({ name, transport, status, protocol, tools, ms }) => {
    const seen = [tools === null ? '-' : String(tools), protocol ?? '-', ms === null ? '-' : String(ms)];
    return [name, transport ?? '-', `${glyphs[status] ?? '•'} ${status}`, ...seen];
  });
  const table = [['server', 'transport', 'status', 'tools', 'protocol', 'ms'], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
  for (const { error } of host.servers()) if (error) print(`${error.message}\n  ${error.hint}`);
  for (const { message, hint } of host.problems) print(`${message}\n  ${hint}`);
}

async function isMade(host, { server, tool, input }) {
  const { outcome, content, ms } = await host.call({ name: `mcp__${server}__${tool}`, input, isTyped: true });
  const text = content.map((block) => block.text ?? block.type).join(' ');
  print(`  ${server}.${tool} ${JSON.stringify(input)} -> ${text.replaceAll('\n', ', ')} (${outcome}, ${ms} ms)`);
  return outcome === 'ok';
}

function print(text) {
  process.stdout.write(`${text}\n`);
}
