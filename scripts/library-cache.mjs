// Runs the built library the way it mostly is run and keeps what V8 compiled for it: a host whose servers are known from the
// last time. Started by build.mjs, twice, with a folder of its own for HOME: the first run gets to know the servers.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { seal } from './code-cache-seal.cjs';

const [, , lib, isFirst] = process.argv;
const { library, script } = await import(pathToFileURL(join(lib, 'library.mjs')).href);
const notes = { command: process.execPath, args: [join(import.meta.dirname, '../demo/servers/notes.mjs')] };
const servers = Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`notes-${index}`, notes]));
const host = await library.Host.open({
  env: process.env,
  cwd: process.env.HOME,
  mcpConfig: [JSON.stringify({ mcpServers: servers })],
  strict: true,
  watch: false,
  ...(isFirst !== 'first' && { start: 'lazy' }),
});
await host.settled();
host.servers();
if (host.tools().length === 0) throw new Error('the servers of the demo have no tools');
// Before it is closed: who embeds a host closes it in the end, when nobody waits.
if (isFirst !== 'first') {
  const source = readFileSync(join(lib, 'library.js'), 'latin1');
  writeFileSync(join(lib, 'library.cache'), seal(source, script.createCachedData()));
}
await host[Symbol.asyncDispose]();
