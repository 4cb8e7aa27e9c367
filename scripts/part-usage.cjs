// Runs the built code as it is mostly used and reports the parts that were loaded, so that parts which run together go
// into one piece. Started by build.mjs, once for each use, with its own folder as HOME and no stdout.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const [, , dist, report, kind, ...words] = process.argv;
const launcher = path.join(dist, 'plugboard.js');
const PATIENCE_MS = 5000; // a server answers in a tenth of a second
const notes = { command: process.execPath, args: [path.join(__dirname, '../demo/servers/notes.mjs')] };

/** Entries as people have them, for a list that starts none. */
const usual = {
  files: { command: 'npx', args: ['-y', 'a-server', '--root', '${HOME}/work'], env: { API_KEY: 'x', LEVEL: 'info' } },
  web: { type: 'http', url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer x' }, timeout: 30_000 },
};

const { open, parts } = require(launcher);
let beforeStart;
process.once('exit', () => {
  const all = [...parts.keys()];
  fs.writeFileSync(report, JSON.stringify({ beforeStart: beforeStart ?? all, all }));
});
noteStart(require('node:child_process'));
if (kind === 'library') void embed();
else {
  if (kind === 'terminal') sitDown();
  const folder = path.join(process.env.HOME, '.config/plugboard');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(
    path.join(folder, 'config.json'),
    JSON.stringify({ mcpServers: { notes, ...(kind === 'list' && usual) } }),
  );
  process.argv = [process.execPath, launcher, ...words];
  open('program');
}

/** What is not needed to start a server is loaded while the server starts. */
function noteStart(processes) {
  const { spawn } = processes;
  processes.spawn = (...args) => {
    beforeStart ??= [...parts.keys()];
    return spawn(...args);
  };
}

async function embed() {
  const { Host } = { ...open('library') }; // an import reads every name
  const host = await Host.open({
    env: process.env,
    cwd: process.env.HOME,
    mcpConfig: [JSON.stringify({ mcpServers: { notes } })],
    strict: true,
    watch: false,
    start: 'lazy',
    permissions: { allow: ['mcp__notes'] },
  });
  await host.settled();
  host.servers();
  host.tools();
  await host.call({ name: 'mcp__notes__list_notes', input: {} });
  await host[Symbol.asyncDispose]();
}

/** Plays a user at a terminal who waits for the servers, types a letter, deletes it, and leaves with Ctrl-D. */
function sitDown() {
  const { PassThrough } = require('node:stream');
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => keys });
  const shown = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  Object.defineProperty(process, 'stdin', { value: keys });
  Object.defineProperty(process, 'stdout', { value: shown });
  Object.assign(process.env, { TERM: 'xterm', ANTHROPIC_API_KEY: 'none' });
  const { fstatSync } = fs;
  // stdio is /dev/null, which is no terminal
  fs.fstatSync = (at, ...rest) => (at > 2 ? fstatSync(at, ...rest) : { isCharacterDevice: () => true, rdev: -1 });
  const leave = () => keys.write('a\x7f\x04');
  const timer = setTimeout(leave, PATIENCE_MS);
  setTimeout(() => process.kill(process.pid), 2 * PATIENCE_MS).unref(); // an endless session must not block the build
  shown.on('data', (text) => {
    if (!String(text).includes('connected')) return;
    clearTimeout(timer);
    leave();
  });
}
