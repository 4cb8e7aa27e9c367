import type { JsonObject } from '../../src/base/json.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HostError } from '../../src/base/errors.js';
import { systemClock } from '../../src/edge/clock.js';
import { ProcessRegistry } from '../../src/edge/processes/process-registry.js';
import type { OpenContext } from '../../src/transports/kind.js';
import { transportKindOf, parseEntry } from '../../src/transports/kinds.js';
import { Peer } from '../../src/wire/peer.js';
import { makeIdentity } from './certificates.js';
import { authority, deadPort, lookupHere, openProxy } from './network-fixtures.js';
import { openSecureServer } from './secure-server.js';

/** Every network transport, with the scheme and path of its server. */
const TRANSPORTS: readonly (readonly [type: string, scheme: string, path: string])[] = [
  ['http', 'https', '/mcp'],
  ['connector-proxy', 'https', '/mcp'],
  ['sse', 'https', '/sse'],
  ['sse-ide', 'https', '/sse'],
  ['ws', 'wss', '/ws'],
  ['ws-ide', 'wss', '/ws'],
];
const me = makeIdentity({ name: 'me', issuer: authority });

/** One call of a server whose entry is parsed as from a configuration file. */
async function call(entry: object, context: Partial<OpenContext> = {}): Promise<JsonObject> {
  const { config, issues } = parseEntry(entry);
  if (!config) throw new Error(JSON.stringify(issues));
  const pipe = await transportKindOf(config).open(config, {
    name: 'x',
    clock: systemClock,
    env: {},
    platform: process.platform,
    cwd: '/',
    processes: new ProcessRegistry(),
    lookup: lookupHere,
    ...context,
  });
  const peer = new Peer(pipe, { name: 'x', clock: systemClock });
  onTestFinished(async () => peer[Symbol.asyncDispose]());
  return peer.request('tools/call', { a: 1 });
}

function openFolder(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-transport-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test.each(TRANSPORTS)(
  'T8: %s has a proxy, an issuer of its own and a client certificate',
  async (type, scheme, path) => {
    const server = await openSecureServer({ requestCert: true, ca: authority.cert });
    const proxy = await openProxy({ login: 'jo:secret' });
    const cwd = openFolder({ 'ca.pem': authority.cert, 'me.pem': me.cert, 'me.key': me.key });
    const entry = { type, url: `${scheme}://${server.host}${path}` };
    const env = { HTTPS_PROXY: `http://jo:secret@127.0.0.1:${proxy.port}` };
    const tls = { ca: 'ca.pem', cert: 'me.pem', key: 'me.key' };
    expect(await call({ ...entry, tls }, { env, cwd })).toEqual({ echo: { a: 1 } });
    expect(new Set(proxy.journal)).toEqual(new Set([`CONNECT ${server.host}`]));
  },
);

test.each(TRANSPORTS)('F37 and F38: %s names what is in its way', async (type, scheme, path) => {
  const server = await openSecureServer();
  const entry = { type, url: `${scheme}://${server.host}${path}` };
  const failure = (tls: object, env: Record<string, string> = {}): Promise<string> =>
    call({ ...entry, tls }, { env }).then(JSON.stringify, ({ message, hint }: HostError) => `${message}. ${hint}`);
  expect(await failure({})).toMatch(/the issuer of its certificate, "Test Authority", is unknown here.*"ca"/u);
  expect(await failure({ ca: '/none.pem' })).toMatch(/there is no file for "tls\.ca"/u);
  const ca = authority.cert;
  const port = await deadPort();
  expect(await failure({ ca }, { https_proxy: `http://127.0.0.1:${port}` })).toMatch(
    /the proxy at 127\.0\.0\.1:\d+ \(from https_proxy\) refused the connection/u,
  );
  expect(await failure({ ca }, { https_proxy: 'socks5://127.0.0.1:1' })).toMatch(/https_proxy names a socks5 proxy/u);
  const closed = await openProxy({ login: 'jo:secret' });
  expect(await failure({ ca }, { https_proxy: closed.url })).toMatch(
    /requires a user and password \(HTTP 407\).*user:password/u,
  );
});

test.each(TRANSPORTS)(
  'F36: %s goes nowhere near the credentials of a cloud, whatever DNS says',
  async (type, scheme, path) => {
    const entry = { type, url: `${scheme}://mcp.test${path}`, tls: { ca: authority.cert } };
    const error = await call(entry, {
      lookup: (_name, _options, callback) => callback(null, [{ address: '169.254.169.254', family: 4 }]),
    }).catch((failure: HostError) => failure);
    expect(error).toMatchObject({
      code: 'url-refused',
      message: expect.stringMatching(/^Server "x" is not called: mcp\.test resolves to 169\.254\.169\.254/u) as string,
    });
  },
);
