// Runs the built program the way it mostly is run and keeps what V8 compiled for it: for verbs that only read files, for
// those that start servers, and for sessions. Started by build.mjs, with a folder of its own for HOME and nothing on its stdout.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { seal } = require('./code-cache-seal.cjs');

const [, , dist, cache] = process.argv;
const PATIENCE_MS = 5000; // for a server that takes a tenth of a second
const servers =
  '{"mcpServers":{"a":{"command":"a","args":["${A:-b}"],"env":{"K":"v"}},"b":{"url":"https://b.example/mcp"}}}';
const notes = { command: process.execPath, args: [path.join(__dirname, '../demo/servers/notes.mjs')] };
const live = JSON.stringify({ mcpServers: { notes } });
const runs = {
  'program.cache': [
    ['--help'],
    ['list', '--no-connect', '--mcp-config', servers],
    ['list', '--no-connect', '--json', '--mcp-config', servers],
  ],
  'live.cache': [
    ['list', '--mcp-config', live],
    ['call', 'notes.list_notes', '--mcp-config', live],
  ],
  'session.cache': [['--mcp-config', live]],
};
process.exit = () => {}; // the first of them to end must not take the others with it
if (cache === 'session.cache') sitDown();

let program;
for (const run of runs[cache]) {
  process.argv = [process.execPath, path.join(dist, 'plugboard.js'), ...run];
  delete require.cache[require.resolve(path.join(dist, 'plugboard.js'))];
  program = require(path.join(dist, 'plugboard.js'));
}
// The verbs answer asynchronously; when nothing is left to do, everything they needed has been compiled.
process.once('beforeExit', () => {
  const source = fs.readFileSync(path.join(dist, 'program.js'), 'latin1');
  fs.writeFileSync(path.join(dist, cache), seal(source, program.createCachedData()));
});

/** Somebody at a terminal who waits for the servers, types a letter, thinks better of it, and leaves. */
function sitDown() {
  const { PassThrough } = require('node:stream');
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => keys });
  const shown = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  Object.defineProperty(process, 'stdin', { value: keys });
  Object.defineProperty(process, 'stdout', { value: shown });
  Object.assign(process.env, { TERM: 'xterm', ANTHROPIC_API_KEY: 'none' });
  fs.fstatSync = () => ({ isCharacterDevice: () => true, rdev: -1 }); // what leads nowhere would pass for no terminal
  require('node:v8').setFlagsFromString = () => {}; // what was compiled under other flags is refused
  const leave = () => keys.write('a\x7f\x04');
  const timer = setTimeout(leave, PATIENCE_MS);
  setTimeout(() => process.kill(process.pid), 2 * PATIENCE_MS).unref(); // a session that cannot be left must not hold up the build
  shown.on('data', (text) => {
    if (!String(text).includes('connected')) return;
    clearTimeout(timer);
    leave();
  });
}
