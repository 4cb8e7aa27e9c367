import { beforeAll, describe, expect, test } from 'vitest';
import { HostError } from '../../src/base/errors.js';
import { listTools } from '../../src/connection/catalog/tool-definition.js';
import type { PipeEvent } from '../../src/wire/recording-pipe.js';
import { checkTool } from './check-tool.js';
import { INSTALL_LIMIT, installServers } from './install-servers.js';
import type { InstalledServer } from './installed-server.js';
import { installedServers } from './installed-servers.js';
import { type InstalledHost, openInstalledHost } from './open-installed-host.js';

// One after the other: each server takes a second of CPU time to start.
describe.skipIf(process.env['PLUGBOARD_FULL'] === undefined)('servers of other people', () => {
  beforeAll(installServers, INSTALL_LIMIT);

  describe.each(installedServers.map((server) => [server.packageName, server] as const))('%s', (_, server) => {
    test('is asked first, speaks the newest revision that it knows, and answers', () => check(server, 'auto'));
    test('speaks its older revision where its entry says so, and answers', () => check(server, 'legacy'));
  });

  test.each(['@upstash/context7-mcp', '@modelcontextprotocol/server-github'])(
    '%s speaks its newest revision also where it takes so long to start that it is greeted in both ways',
    async (packageName) => {
      const server = installedServers.find((one) => one.packageName === packageName)!;
      const slow = { ...server, env: { ...server.env, PLUGBOARD_TEST_SLOW_MS: String(SILENCE_MS + 1_000) } };
      await check(slow, 'auto');
    },
  );

  test('a server that knows only the older way is refused where its entry asks for the new one', async () => {
    const oldest = installedServers.find(({ legacy }) => legacy === '2024-11-05')!;
    await using host = openInstalledHost(oldest);
    const error = await failure(host.connect({ era: 'modern' }));
    expect(error).toMatchObject({ code: 'unsupported', message: expect.stringContaining(oldest.packageName) });
    expect(await host.close()).toEqual([]);
  });

  test('a server that never answers is given up in time', async () => {
    await using host = openInstalledHost({ packageName: '@stripe/mcp', args: ['--api-key=sk_test_nobody'] });
    const began = performance.now();
    const error = await failure(host.connect({ timeoutMs: 4_000 }));
    expect(error).toMatchObject({ code: 'connect-timeout', message: expect.stringContaining('4000 ms') });
    expect(performance.now() - began).toBeLessThan(4_000 + ENDING_LIMIT);
    expect(await host.close()).toEqual([]);
  });

  test('a server that breaks while it starts is told with its last words', async () => {
    await using host = openInstalledHost({ packageName: '@heroku/mcp-server', env: { HEROKU_API_KEY: 'nobody' } });
    const error = await failure(host.connect());
    expect(error).toMatchObject({ code: 'connection-closed', detail: { kind: 'exit', code: 1 } });
    expect(error.hint).toContain('Cannot find module');
    // The first process could have exited because of server/discover, so a second is started.
    expect(startsOf(host)).toBe(2);
    expect(await host.close()).toEqual([]);
  });

  test.each([
    ['auto', 'modern'],
    ['legacy', 'legacy'],
  ] as const)('a server that needs the network to list its tools says so (era %s)', async (era, spoken) => {
    const args = [`--access-token=sbp_${'0'.repeat(40)}`];
    await using host = openInstalledHost({ packageName: '@supabase/mcp-server-supabase', args });
    const connection = await host.connect({ era });
    expect(connection.session.era).toBe(spoken);
    expect(await failure(listTools(connection))).toMatchObject({
      code: 'server-error',
      message: expect.stringContaining('fetch failed'),
    });
    expect(await host.close()).toEqual([]);
  });
});

const SILENCE_MS = 5_000; // after this long without a response the host sends the other opening as well
const ENDING_LIMIT = 10_000; // five seconds for the server's processes, plus slack for a busy machine

/** Connects, lists, calls and closes; checks that nothing unexpected happens and nothing is left behind. */
async function check(server: InstalledServer, era: 'auto' | 'legacy'): Promise<void> {
  await using host = openInstalledHost(server);
  const began = performance.now();
  const connection = await host.connect({ era });
  const passed = Math.round(performance.now() - began);
  const { session, peer } = connection;
  const wanted = { auto: server.modern ?? server.legacy, legacy: server.legacy }[era];
  expect({ era: session.era, version: session.version, first: methodsOf(host)[0] }).toEqual({
    era: wanted === server.modern ? 'modern' : 'legacy',
    version: wanted,
    first: era === 'auto' ? 'server/discover' : 'initialize',
  });

  const { tools, setAside, warnings } = await listTools(connection);
  tell(`${server.packageName}: ${session.version}, ${tools.length} tools, ${passed} ms${opening(host)}`);
  for (const { tool, reason } of setAside) tell(`  set aside: ${tool}: ${reason}`);
  expect(tools.length).toBeGreaterThanOrEqual(server.tools);
  expect([setAside, warnings]).toEqual([[], []]);

  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const call of server.calls) await checkTool({ connection, folder: host.folder }, byName.get(call.tool)!, call);

  expect(await host.close()).toEqual([]);
  expect(await connection.closed).toMatchObject({ kind: 'disposed' });
  // None of these servers exits because of server/discover, so each was started once.
  expect(startsOf(host)).toBe(1);
  expect(host.notes.some(({ kind }) => kind === 'noise')).toBe(server.isNoisy === true);
  // A JSON log line counts as a response to no request, and so does the second response to two openings.
  const isExact = server.isNoisy !== true && passed < SILENCE_MS;
  expect(peer.stats).toMatchObject({ malformed: 0, unanswered: 0, ...(isExact && { dropped: 0 }) });
}

function startsOf({ events }: InstalledHost): number {
  return events.filter((event) => 'event' in event && event.event === 'opened').length;
}

function methodsOf({ events }: InstalledHost): string[] {
  return events.flatMap((event) => (event.from === 'host' ? [messageOf(event).method ?? ''] : []));
}

/** How long the server took for server/discover, its own start included, and for initialize. */
function opening({ events }: InstalledHost): string {
  const words = { 'server/discover': 'asked', initialize: 'greeted' };
  const parts = Object.entries(words).flatMap(([method, word]) => {
    const request = events.find((event) => event.from === 'host' && messageOf(event).method === method);
    if (!request) return [];
    const { id } = messageOf(request);
    const answer = events.find((event) => event.from === 'server' && messageOf(event).id === id);
    return [`${word} ${answer ? Math.round(answer.at - request.at) : 'without an answer for'} ms`];
  });
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function messageOf(event: PipeEvent): { readonly id?: unknown; readonly method?: string } {
  return 'message' in event ? (event.message as object) : {};
}

async function failure(promise: Promise<unknown>): Promise<HostError> {
  const error: unknown = await promise.then(
    () => 'nothing',
    (reason: unknown) => reason,
  );
  if (error instanceof HostError) return error;
  throw new Error(`expected a HostError, got ${String(error)}`);
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
