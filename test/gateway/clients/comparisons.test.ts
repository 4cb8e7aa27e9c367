import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { homeEnvironment, isServing, prepareGateway, startGateway } from '../start-gateway.js';
import { converse } from './conversation.js';
import type { ForeignClientKind, ServerAddress } from './foreign-client.js';
import { sdk1, sdk2, sdk2Legacy } from './sdk-clients.js';
import { type OpenedUpstream, type Upstream, upstreams } from './upstreams.js';

// Clients and servers that nobody here wrote: what a client gets through the gateway is what it gets from the server.

// All of them in test:full.
const isFull = process.env['PLUGBOARD_FULL'] !== undefined;
const overHttp = isFull ? [sdk1, sdk2Legacy, sdk2] : [sdk1, sdk2];
const overStdio = isFull ? [sdk1, sdk2] : [sdk2];
const server = 'upstream';

describe.skipIf(!isServing).each(upstreams.map((upstream) => [upstream.name, upstream] as const))(
  '%s',
  (_, upstream) => {
    test.each(overHttp.map((kind) => [kind.name, kind] as const))(
      'gives %s over HTTP what it gives directly',
      (_name, kind) =>
        check(upstream, kind, async (entry, home) => {
          const gateway = await startGateway({ home, servers: { [server]: entry } });
          onTestFinished(() => gateway[Symbol.asyncDispose]());
          return { kind: 'http', url: `${gateway.origin}/mcp/${server}` };
        }),
    );

    test.each(overStdio.map((kind) => [kind.name, kind] as const))(
      'gives %s over stdio what it gives directly',
      (_name, kind) =>
        check(upstream, kind, (entry, home) => {
          const args = prepareGateway({ home, servers: { [server]: entry }, flags: ['--names', 'plain'] });
          return Promise.resolve({ kind: 'stdio', args, env: homeEnvironment(home) });
        }),
    );
  },
);

type OpenGateway = (entry: object, home: string) => Promise<ServerAddress>;

async function check(upstream: Upstream, kind: ForeignClientKind, open: OpenGateway): Promise<void> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-clients-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const { requests } = upstream;
  // A client of the server's own era: no other can ask it directly.
  const native = upstream.era === kind.era ? kind : upstream.era === 'legacy' ? sdk1 : sdk2;
  const direct = upstream.open();
  const before = upstream.open();
  const entry = { type: 'stdio', command: process.execPath, args: before.args, env: before.env };
  const address = await open(entry, home);
  const told = await converse(kind, { address, folder: folderOf(before), requests });
  const wanted = await converse(native, { address: direct, folder: folderOf(direct), requests });
  // On stdio there is but one endpoint, that of all servers, where each title begins with the server's name.
  const isTitled = address.kind === 'stdio';
  expect(isTitled ? told.map(withoutTitles) : told).toEqual(isTitled ? wanted.map(withoutTitles) : wanted);
}

function withoutTitles(answer: string): string {
  return answer.replaceAll(/,?"title":"(?:[^"\\]|\\.)*"/gu, '');
}

function folderOf({ folder }: OpenedUpstream): string {
  return folder ?? 'there is none';
}
