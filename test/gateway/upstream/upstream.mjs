#!/usr/bin/env node
// A server on the official SDK that serves every name of the official suite, in one era only:
//   node upstream.mjs --era legacy|modern --stdio
//   node upstream.mjs --era legacy|modern --http PORT     prints the port when it listens; 0 is a free one
// With --state FILE all processes with the same file share what changes: the lists and the watched resource.
// `legacy` speaks 2025-11-25 (initialize, sessions), `modern` 2026-07-28; either refuses the other.
import { parseArgs } from 'node:util';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { serveOverHttp } from './http.mjs';
import { buildServer } from './server.mjs';
import { openWorld } from './world.mjs';

const { values: flags } = parseArgs({
  options: {
    era: { type: 'string', default: 'modern' },
    stdio: { type: 'boolean', default: false },
    http: { type: 'string' },
    state: { type: 'string' },
  },
});
if ((flags.era !== 'legacy' && flags.era !== 'modern') || flags.stdio === (flags.http !== undefined)) {
  process.stderr.write('Usage: upstream.mjs --era legacy|modern (--stdio | --http PORT) [--state FILE]\n');
  process.exit(2);
}

const world = await openWorld(flags.era, flags.state);
if (flags.http !== undefined) {
  const port = await serveOverHttp(world, Number(flags.http));
  process.stdout.write(`${port}\n`);
} else if (flags.era === 'modern') {
  serveStdio(() => buildServer(world), { legacy: 'reject' });
} else {
  const transport = new StdioServerTransport();
  await buildServer(world).connect(transport);
}
