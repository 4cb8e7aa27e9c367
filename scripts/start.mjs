// `npm start`: Plugboard with the servers of demo/.mcp.json. On a terminal it is `plugboard demo`; elsewhere it uses the
// library to show the servers' states, makes one call on each transport, and ends.
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDemo } from '../demo/open-demo.mjs';

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
if (process.stdin.isTTY && process.stdout.isTTY) openSession();
else await showDemo(await openDemo());

/** `plugboard demo`, with the flags behind `npm start --`. */
function openSession() {
  const program = join(root, 'dist/plugboard.js');
  process.argv = [process.argv[0], program, 'demo', ...process.argv.slice(2)];
  createRequire(import.meta.url)(program).open('program');
}

async function showDemo(demo) {
  const { Host } = await import('../dist/lib/index.js');
  const host = await Host.open({
    cwd: demo.folder,
    mcpConfig: ['.mcp.json'],
    strict: true,
    watch: false,
    embedded: demo.embedded,
    env: { ...process.env, ...demo.env },
  });
  let isEnding = false;
  const end = async (code) => {
    isEnding = true;
    await host[Symbol.asyncDispose]();
    demo.close();
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
