// Runs the built program the way it mostly is run and keeps what V8 compiled for it: for verbs that only read files, and
// for those that start servers. Started by build.mjs, with a folder of its own for HOME and nothing on its stdout.
'use strict';
const { writeFileSync } = require('node:fs');
const path = require('node:path');

const [, , dist, cache] = process.argv;
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
};
process.exit = () => {}; // the first of them to end must not take the others with it

let program;
for (const run of runs[cache]) {
  process.argv = [process.execPath, path.join(dist, 'plugboard.js'), ...run];
  delete require.cache[require.resolve(path.join(dist, 'plugboard.js'))];
  program = require(path.join(dist, 'plugboard.js'));
}
// The verbs answer asynchronously; when nothing is left to do, everything they needed has been compiled.
process.once('beforeExit', () => writeFileSync(path.join(dist, cache), program.createCachedData()));
