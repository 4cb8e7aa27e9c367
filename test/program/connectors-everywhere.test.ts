import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Host } from '../../src/host/host.js';
import { call, promptScene, resultOf, say } from './prompt-scene.js';
import { makeSandbox, type Sandbox, USER_FILE } from './sandbox.js';

interface Catalogue {
  readonly origin: string;
  /** The tokens of the requests for the list. */
  readonly lists: (string | undefined)[];
  /** The tokens of the requests to the connector's server. */
  readonly used: Set<string | undefined>;
  /** Handles a request for the list. */
  onList: (response: ServerResponse, answer: () => void) => void;
}

/** An account with one connector, `Slack`, behind its proxy. */
async function openCatalogue(): Promise<Catalogue> {
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const catalogue: Catalogue = { origin, lists: [], used: new Set(), onList: (_response, answer) => answer() };
  return catalogue;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = request.headers.authorization?.replace('Bearer ', '');
    const json = (value: unknown): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.url === '/list') {
      catalogue.lists.push(token);
      const slack = { name: 'Slack', url: 'https://slack.example/mcp', proxyUrl: `${origin}/proxy` };
      return catalogue.onList(response, () => json([slack]));
    }
    catalogue.used.add(token);
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    if (request.method === 'GET') return void response.writeHead(405).end();
    const { id, method = '' } = JSON.parse(Buffer.concat(pieces).toString() || '{}') as {
      id?: number;
      method?: string;
    };
    if (id === undefined) return void response.writeHead(202).end();
    const result = RESULTS[method];
    return json({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'no' } }) });
  }
}

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'slack', version: '1' },
  },
  ping: {},
  'tools/list': { tools: [{ name: 'post', description: 'Posts a text', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'posted' }] },
};

const TOOL = 'mcp__Slack__post';

function settings({ origin }: Catalogue, token: string): object {
  return { settings: { connectors: { url: `${origin}/list`, token } } };
}

function openAccount(catalogue: Catalogue, token = 'token-1'): Sandbox {
  return makeSandbox({ [USER_FILE]: settings(catalogue, token) });
}

async function openHost({ home, project, managed }: Sandbox, watch = false): Promise<Host> {
  const env = { HOME: home, PATH: process.env['PATH'] ?? '' };
  const permissions = { mode: 'bypass' } as const;
  const host = await Host.open({ cwd: project, env, managedDirectories: [managed], watch, permissions });
  onTestFinished(() => host[Symbol.asyncDispose]());
  return host;
}

test.each([
  [['tools'], 'Slack: 1 tool'],
  [['tools', 'Slack'], 'Slack: 1 tool'],
  [['call', 'Slack.post'], 'posted'],
  [['call', TOOL], 'posted'],
  [['call', 'post'], 'posted'],
  [['search', 'posts text'], TOOL],
  [['get', 'Slack'], 'connected'],
  [['doctor', 'Slack'], '1 of 1 server connected'],
])('%j knows the connectors of an account that nobody has asked for before', async (args, said) => {
  const catalogue = await openCatalogue();
  const { code, stdout, stderr } = await openAccount(catalogue).run(args);
  expect([code, stdout, stderr]).toEqual([0, expect.stringContaining(said), '']);
  expect(catalogue.lists).toEqual(['token-1']);
});

test('-p offers the model the connectors of an account that nobody has asked for before', async () => {
  const catalogue = await openCatalogue();
  const script = [[call(TOOL, {})], say('done')];
  const { run, api } = await promptScene(script, { [USER_FILE]: settings(catalogue, 'token-1') });
  expect(await run(['-p', 'post it', '--allow', TOOL])).toMatchObject({ code: 0, stdout: 'done\n', stderr: '' });
  expect(JSON.stringify(api.requests[0]!['tools'])).toContain(TOOL);
  expect(JSON.stringify(resultOf(api))).toContain('posted');
});

test('a run about another server waits for no catalogue', async () => {
  const catalogue = await openCatalogue();
  const sandbox = openAccount(catalogue);
  catalogue.onList = () => expect.fail('nobody has to know');
  const url = `${catalogue.origin}/proxy`;
  sandbox.write(USER_FILE, { ...settings(catalogue, 'token-1'), mcpServers: { own: { type: 'http', url } } });
  expect((await sandbox.run(['call', 'own.post'])).stdout).toBe('posted\n');
  expect(catalogue.lists).toEqual([]);
});

test('a catalogue that is down keeps nobody from the rest, and is told of', async () => {
  const catalogue = await openCatalogue();
  catalogue.onList = (response) => void response.writeHead(503).end();
  const sandbox = openAccount(catalogue);
  const url = `${catalogue.origin}/proxy`;
  sandbox.write(USER_FILE, { ...settings(catalogue, 'token-1'), mcpServers: { own: { type: 'http', url } } });
  const { code, stdout, stderr } = await sandbox.run(['tools']);
  expect([code, stdout, stderr]).toEqual([
    0,
    expect.stringContaining('own: 1 tool'),
    expect.stringMatching(/^Connectors: .*503/u),
  ]);
});

test('a host opens at once, asks the catalogue meanwhile, and a call waits for what it says', async () => {
  const catalogue = await openCatalogue();
  let release: (() => void) | undefined;
  catalogue.onList = (_response, answer) => (release = answer);
  const host = await openHost(openAccount(catalogue));
  expect(host.servers()).toEqual([]);
  const calling = host.call({ name: TOOL });
  await expect.poll(() => release).toBeDefined();
  release!();
  expect(await calling).toMatchObject({ outcome: 'ok' });
  await host.settled();
  expect(host.servers()).toMatchObject([{ name: 'Slack', scope: 'connectors', status: 'connected', tools: 1 }]);
  expect(catalogue.lists).toEqual(['token-1']);
});

test('a host whose catalogue is down says so, and settles', async () => {
  const catalogue = await openCatalogue();
  catalogue.onList = (response) => void response.writeHead(500).end();
  const host = await openHost(openAccount(catalogue));
  const told: string[] = [];
  host.on('problem', ({ message }) => told.push(message));
  await host.settled();
  expect([host.servers(), told]).toEqual([
    [],
    [expect.stringMatching(/^Plugboard uses the last known connectors: .*500/u)],
  ]);
});

test('a token that is replaced while a host runs ends no connector; the list of the new one holds when it is there', async () => {
  const catalogue = await openCatalogue();
  const sandbox = openAccount(catalogue);
  const host = await openHost(sandbox, true);
  await host.settled();
  expect(host.tools().map(({ name }) => name)).toContain(TOOL);
  const gone: string[] = [];
  host.on('server', ({ name, after }) => gone.push(`${name} ${after}`));
  const pending: (() => void)[] = [];
  catalogue.onList = (_response, answer) => void pending.push(answer);
  writeFileSync(join(sandbox.root, USER_FILE), JSON.stringify(settings(catalogue, 'token-2')));
  // The list has been requested with the new token, and no response has come.
  await expect.poll(() => catalogue.lists).toEqual(['token-1', 'token-2']);
  expect(host.tools().map(({ name }) => name)).toContain(TOOL);
  expect(await host.call({ name: TOOL })).toMatchObject({ outcome: 'ok' });
  const told = new Promise<void>((resolve) => void host.on('config', () => resolve()));
  pending[0]!();
  await told;
  expect(await host.call({ name: TOOL })).toMatchObject({ outcome: 'ok' });
  expect([host.tools().map(({ name }) => name), gone]).toEqual([expect.arrayContaining([TOOL]), []]);
  // The new list does not name the connector, so now its server goes.
  const removed = new Promise<void>(
    (resolve) => void host.on('config', ({ gone: names }) => names.length > 0 && resolve()),
  );
  catalogue.onList = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  writeFileSync(join(sandbox.root, USER_FILE), JSON.stringify(settings(catalogue, 'token-3')));
  await removed;
  expect([host.servers(), existsSync(join(sandbox.home, '.cache'))]).toEqual([[], true]);
});
