import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type GatewayOptions, homeEnvironment, prepareGateway, startGateway } from '../start-gateway.js';
import { asAmongAll } from './among-all.js';
import { converse, type ConversationOptions, type Exchange, toLines } from './conversation.js';
import type { ForeignClientKind, ServerAddress } from './foreign-client.js';
import { sdk1, sdk2 } from './sdk-clients.js';
import type { OpenedUpstream, Upstream } from './upstreams.js';

/** The name that every upstream has in the gateway: short, so that no name of a tool has to be cut. */
const server = 'up';

/** How a client reaches the upstream through a gateway of its own. */
export interface Way {
  readonly name: string;
  /** The address is one of all servers, where names tell whose something is. */
  readonly isShared: boolean;
  readonly open: (gateway: Pick<GatewayOptions, 'home' | 'servers' | 'flags'>) => Promise<ServerAddress>;
}

export const overHttp: Way = { name: 'over HTTP', isShared: false, open: httpTo(`/mcp/${server}`) };
export const overHttpAmongAll: Way = { name: 'over HTTP, among all servers', isShared: true, open: httpTo('/mcp') };
export const overStdio: Way = { name: 'over stdio', isShared: false, open: stdioTo(`/mcp/${server}`) };
export const overStdioAmongAll: Way = { name: 'over stdio, among all servers', isShared: true, open: stdioTo('/mcp') };

export const ways: readonly Way[] = [overHttp, overHttpAmongAll, overStdio, overStdioAmongAll];

/** A client gets the same through the gateway as directly. */
export async function checkSame(upstream: Upstream, kind: ForeignClientKind, way: Way): Promise<void> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-clients-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const opened = upstream.open();
  onTestFinished(() => remove(opened));
  const entry = { type: 'stdio', command: process.execPath, args: opened.args, env: opened.env, era: upstream.era };
  const address = await way.open({ home, servers: { [server]: entry }, flags: permitted(upstream) });
  const prefix = way.isShared ? `${server}__` : '';
  const told = await converse(kind, { ...asked(upstream, opened), address, prefix });
  const direct = await askDirectly(upstream, kind);
  const wanted = way.isShared ? direct.map((exchange) => asAmongAll(exchange, server)) : direct;
  expect(toLines(told)).toEqual(toLines(wanted));
  for (const part of upstream.shows ?? []) expect(toLines(told).join('\n')).toContain(part);
}

/** By a client of the server's own era: no other can ask it directly. */
function askDirectly(upstream: Upstream, kind: ForeignClientKind): Promise<readonly Exchange[]> {
  const native = upstream.era === kind.era ? kind : upstream.era === 'legacy' ? sdk1 : sdk2;
  const known = answered.get(upstream)?.get(native);
  if (known) return known;
  const address = upstream.open();
  const exchanges = converse(native, { ...asked(upstream, address), address, prefix: '' }).finally(() =>
    remove(address),
  );
  answered.set(upstream, new Map(answered.get(upstream)).set(native, exchanges));
  return exchanges;
}

/** The answers are the same each time, so each client is asked once. */
const answered = new WeakMap<Upstream, ReadonlyMap<ForeignClientKind, Promise<readonly Exchange[]>>>();

function asked(
  { requests, varying }: Upstream,
  { folder = 'there is none' }: OpenedUpstream,
): Pick<ConversationOptions, 'requests' | 'varying' | 'folder'> {
  return { requests, ...(varying && { varying }), folder };
}

function remove({ folder }: OpenedUpstream): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A rule for each tool: else the gateway asks about those whose server says that they may destroy data. */
function permitted({ requests }: Upstream): readonly string[] {
  const called = requests.filter(([method]) => method === 'tools/call').map(([, params]) => String(params?.['name']));
  return [...new Set(called)].flatMap((tool) => ['--allow', `mcp__${server}__${tool}`]);
}

function httpTo(path: string): Way['open'] {
  return async (options) => {
    const gateway = await startGateway(options);
    onTestFinished(() => gateway[Symbol.asyncDispose]());
    return { kind: 'http', url: `${gateway.origin}${path}` };
  };
}

function stdioTo(path: string): Way['open'] {
  return ({ flags = [], ...options }) => {
    const args = prepareGateway({ ...options, flags: [...flags, '--path', path] });
    return Promise.resolve({ kind: 'stdio', args, env: homeEnvironment(options.home) });
  };
}
