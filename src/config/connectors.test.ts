import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type House, openHouse } from '../../test/house.js';
import { refreshConnectors, refreshStale } from './connectors.js';
import type { ConnectorService } from './scope.js';
import { catalogueFile } from './scopes/connectors.js';
import { userFile } from './scopes/user.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server on loopback that serves a connector catalogue. */
async function serve(answer: Answer): Promise<{ url: string; seen: IncomingMessage[] } & AsyncDisposable> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => (seen.push(request), answer(request, response)));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/list`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const json =
  (value: unknown): Answer =>
  (_, response) =>
    response.end(JSON.stringify(value));

async function use(house: House, url: string, token?: string): Promise<ConnectorService> {
  const connectors = { url, ...(token !== undefined && { token }) };
  house.write(userFile(house.context())!, { settings: { connectors } });
  return (await house.load()).settings.connectors!;
}

test('connectors come from the catalogue, with the token of the account, and are there at once the next time', async () => {
  using house = openHouse();
  const list = [
    { name: 'Slack', url: 'https://slack.example/mcp', proxyUrl: 'https://proxy.example/mcp?mcp_url=x' },
    { name: 'Docs', url: 'https://docs.example/mcp' },
  ];
  await using catalogue = await serve(json(list));
  house.env['ACCOUNT_TOKEN'] = 'secret-token';
  await use(house, catalogue.url, '${ACCOUNT_TOKEN}');
  expect((await house.load()).servers).toEqual([]);
  const { settings, context } = await house.load();
  await refreshConnectors(context, settings.connectors!);
  expect(catalogue.seen[0]!.headers.authorization).toBe('Bearer secret-token');
  const { servers } = await house.load();
  expect(servers.map(({ name, scope, origin, config }) => [name, scope, origin, config?.type])).toEqual([
    ['Slack', 'connectors', catalogue.url, 'connector-proxy'],
    ['Docs', 'connectors', catalogue.url, 'http'],
  ]);
  const file = catalogueFile(context, settings.connectors!)!;
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(file + readFileSync(file, 'utf8')).not.toContain('secret-token');
});

test('without the setting nobody is asked, and no connector appears', async () => {
  using house = openHouse();
  await using catalogue = await serve(json([{ name: 'Uninvited', url: 'https://x.example' }]));
  house.write(join(house.project, '.plugboard/settings.json'), { settings: { connectors: { url: catalogue.url } } });
  expect((await house.load()).settings.connectors).toBeUndefined();
  expect(catalogue.seen).toEqual([]);
});

test('loading waits for nobody, even when the catalogue never answers', async () => {
  using house = openHouse();
  await using catalogue = await serve(() => {});
  await use(house, catalogue.url);
  house.write(userFile(house.context())!, {
    mcpServers: { u: { command: 'u' } },
    settings: { connectors: { url: catalogue.url } },
  });
  expect(await house.view()).toEqual(['u user ready']);
  const { settings, context } = await house.load();
  const asked = await refreshStale(context, settings.connectors!, { waitMs: 50, now: new Date() });
  expect(asked).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringContaining('did not answer within 50 ms') },
  });
});

test('an enabled manual server beats its connector twin, a disabled one does not', async () => {
  using house = openHouse();
  await using catalogue = await serve(json([{ name: 'Docs', url: 'https://docs.example/mcp' }]));
  const connectors = await use(house, catalogue.url);
  await refreshConnectors(house.context(), connectors);
  for (const [disabled, expected] of [
    [false, ['docs user ready', 'Docs connectors suppressed']],
    [true, ['docs user disabled', 'Docs connectors ready']],
  ] as const) {
    const docs = { url: 'https://docs.example/mcp', disabled };
    house.write(userFile(house.context())!, { mcpServers: { docs }, settings: { connectors: { url: catalogue.url } } });
    expect(await house.view()).toEqual(expected);
  }
});

const failures: readonly (readonly [what: string, answer: Answer, message: string])[] = [
  ['an error', (_, response) => response.writeHead(500).end('secret stack'), 'HTTP 500'],
  ['a refusal', (_, response) => response.writeHead(401).end(), 'HTTP 401'],
  ['a redirect', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), 'HTTP 302'],
  ['no JSON', (_, response) => response.end('<html>'), 'not JSON'],
  ['no list', json({ servers: [] }), 'not a list'],
  ['3 MB', (_, response) => response.end(`["${'x'.repeat(3_000_000)}"]`), 'more than 1000000 bytes'],
  [
    'a cut answer',
    (_, response) => (response.writeHead(200, { 'content-length': '100' }), response.write('['), response.destroy()),
    'closed the connection',
  ],
];

test.each(failures)(
  '%s from the catalogue leaves what was known, and says what was wrong',
  async (_, answer, message) => {
    using house = openHouse();
    let failing = false;
    const good = json([{ name: 'Docs', url: 'https://docs.example/mcp' }]);
    await using catalogue = await serve((request, response) => (failing ? answer : good)(request, response));
    const connectors = await use(house, catalogue.url, 'secret-token');
    await refreshConnectors(house.context(), connectors);
    failing = true;
    const error = await refreshConnectors(house.context(), connectors).catch((reason: unknown) => reason as Error);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(String(error)).not.toMatch(/secret/u);
    expect(await house.view()).toEqual(['Docs connectors ready']);
  },
);

test('a catalogue cannot name addresses of this machine, schemes that run code, or a hundred thousand servers', async () => {
  using house = openHouse();
  const bad = [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://user:pass@x.example/',
    'http://plain.example/mcp',
    'nonsense',
  ];
  const items: unknown[] = [
    ...bad.map((url, index) => ({ name: `bad${index}`, url })),
    null,
    7,
    { name: 1 },
    { url: 'https://x.example' },
  ];
  const many = Array.from({ length: 100_000 }, (_, index) => ({ name: `n${index}`, url: 'https://n.example' })).slice(
    0,
    12_000,
  );
  await using catalogue = await serve(json([...items, { name: 'good', url: 'https://good.example/mcp' }, ...many]));
  const connectors = await use(house, catalogue.url);
  await refreshConnectors(house.context(), connectors);
  const { servers } = await house.load();
  expect(servers.length).toBeLessThanOrEqual(1000);
  expect(servers.map(({ name }) => name).filter((name) => name.startsWith('bad'))).toEqual([]);
  expect(servers[0]!.name).toBe('good');
});

test('the token is never sent over an unencrypted line to another machine', async () => {
  using house = openHouse();
  const connectors = await use(house, 'http://catalogue.example/list', 'secret-token');
  await expect(refreshConnectors(house.context(), connectors)).rejects.toThrow('is not https');
});

test('what the catalogue is asked with is never shown: neither the token nor a key in its URL', async () => {
  using house = openHouse();
  await using catalogue = await serve(json([{ name: 'Docs', url: 'https://docs.example/mcp' }]));
  house.env['CATALOGUE_KEY'] = 'planted-secret';
  const connectors = await use(house, `${catalogue.url}?api_key=\${CATALOGUE_KEY}`, 'planted-secret');
  await refreshConnectors(house.context(), connectors);
  const { servers, settings } = await house.load();
  expect(servers[0]!.origin).toBe(`${catalogue.url}?api_key=\${CATALOGUE_KEY}`);
  expect(JSON.stringify({ servers, token: settings.connectors!.token })).not.toContain('planted-secret');
});
