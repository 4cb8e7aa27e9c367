// Runs the built program the way it mostly is run and keeps what V8 compiled for it. Started by build.mjs, with a folder
// of its own for HOME and nothing on its stdout.
'use strict';
const { writeFileSync } = require('node:fs');
const path = require('node:path');

const dist = process.argv[2];
const servers =
  '{"mcpServers":{"a":{"command":"a","args":["${A:-b}"],"env":{"K":"v"}},"b":{"url":"https://b.example/mcp"}}}';
const runs = [
  ['--help'],
  ['list', '--no-connect', '--mcp-config', servers],
  ['list', '--json', '--mcp-config', servers],
];

let program;
for (const run of runs) {
  process.argv = [process.execPath, path.join(dist, 'plugboard.js'), ...run];
  delete require.cache[require.resolve(path.join(dist, 'plugboard.js'))];
  program = require(path.join(dist, 'plugboard.js'));
}
// The verbs answer asynchronously; when nothing is left to do, everything they needed has been compiled.
process.once('beforeExit', () => writeFileSync(path.join(dist, 'program.cache'), program.createCachedData()));
