// `npm start`: a host on the servers of demo/.mcp.json, by the library as anybody would use it. Shows how they are, makes one
// call on each transport, and ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clock } from '../demo/servers/clock.mjs';
import { openWeather } from '../demo/servers/weather.mjs';
import { Host } from '../dist/lib/index.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const calls = [
  { server: 'notes', tool: 'list_notes', input: {} },
  { server: 'weather', tool: 'forecast', input: { city: 'Lisbon' } },
  { server: 'clock', tool: 'now', input: {} },
];
const glyphs = { connected: '✔', failed: '✘', 'needs-auth': '!', idle: '○' };

// What is learned of the demo's servers is nobody's to keep: the URL is another one the next time.
const scratch = mkdtempSync(join(tmpdir(), 'plugboard-demo-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const weather = await openWeather(0);
const host = await Host.open({
  cwd: join(root, 'demo'),
  mcpConfig: ['.mcp.json'],
  strict: true,
  watch: false,
  embedded: new Map([['clock', clock]]),
  env: {
    ...process.env,
    PLUGBOARD_DEMO_PORT: String(weather.port),
    XDG_CACHE_HOME: join(scratch, 'cache'),
    XDG_STATE_HOME: join(scratch, 'state'),
  },
});
// Ctrl-C ends the servers, too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void end(130));

await host.settled();
showServers();
let failures = host.servers().filter(({ status }) => status !== 'connected').length;
print('\nOne call on each transport:');
for (const call of calls) await show(call);
if (process.stdout.isTTY) showMore();
await end(failures === 0 ? 0 : 1);

function showServers() {
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

async function show({ server, tool, input }) {
  const { outcome, content, ms } = await host.call({ name: `mcp__${server}__${tool}`, input, isTyped: true });
  if (outcome !== 'ok') failures++;
  const text = content.map((block) => block.text ?? block.type).join(' ');
  print(`  ${server}.${tool} ${JSON.stringify(input)} -> ${text.replaceAll('\n', ', ')} (${outcome}, ${ms} ms)`);
}

function showMore() {
  print(`
To go on:
  node dist/plugboard.js list --cwd demo --mcp-config .mcp.json
  node dist/plugboard.js call notes.list_notes --cwd demo --mcp-config .mcp.json
  node dist/plugboard.js --help
\`npm link\` puts it on your PATH as plugboard.`);
}

async function end(code) {
  await host[Symbol.asyncDispose]();
  weather.close();
  process.exit(code);
}

function print(text) {
  process.stdout.write(`${text}\n`);
}
