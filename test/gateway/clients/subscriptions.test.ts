import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isServing } from '../start-gateway.js';
import { overHttp, overStdio, overStdioAmongAll } from './comparison.js';
import { sdk1, sdk2, sdk2Legacy } from './sdk-clients.js';
import { upstreams } from './upstreams.js';

// server-everything tells of its resources only the connection that asked for it, at once and then every 5 seconds.

const isFull = process.env['PLUGBOARD_FULL'] !== undefined;
const everything = upstreams.find(({ name }) => name === 'server-everything')!;
const uri = 'demo://resource/dynamic/text/1';
const tool = 'toggle-subscriber-updates';

describe.skipIf(!isServing || !isFull)('subscriptions', () => {
  test.each([
    [sdk1.name, overStdio.name, sdk1, overStdio],
    [sdk2Legacy.name, overStdioAmongAll.name, sdk2Legacy, overStdioAmongAll],
    [sdk2.name, overStdioAmongAll.name, sdk2, overStdioAmongAll],
    [sdk2.name, overHttp.name, sdk2, overHttp],
  ] as const)('%s %s hears of a change that its next call makes', async (_kind, _way, kind, way) => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-clients-')));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const { args } = everything.open();
    const servers = { up: { type: 'stdio', command: process.execPath, args } };
    await using client = await kind.open(await way.open({ home, servers }));
    const { updated } = await client.subscribe(uri);
    const call = { name: way.isShared ? `up__${tool}` : tool, arguments: {} };
    const started = await client.request('tools/call', call);
    // A second one would come after 5 seconds: what is awaited is the first.
    const stopped = await client.request('tools/call', call);
    expect(JSON.stringify([started, stopped])).toMatch(/Started simulated.*Stopped simulated/u);
    await updated;
  });
});
