import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { refreshConnectors } from '../../src/config/connectors.js';
import { openContext } from '../../src/config/context.js';
import { loadHostConfig } from '../../src/config/load.js';
import { makeSandbox, PROJECT_FILE, type Sandbox, USER_FILE } from './sandbox.js';

interface Connectors {
  readonly origin: string;
  /** The MCP requests, with the credentials they carried. */
  readonly calls: { readonly path: string; readonly method: string; readonly authorization: string | undefined }[];
}

interface ConnectorsOptions {
  /** What the connector list contains, given its own origin. */
  readonly list: (origin: string) => readonly object[];
  readonly accepts: (token: string) => boolean;
  /** Called before a request is refused. */
  readonly onRefusal?: () => void;
}

/** The connector list and the proxy to its servers, on one origin. */
async function openConnectors({ list, accepts, onRefusal }: ConnectorsOptions): Promise<Connectors> {
  const calls: Connectors['calls'] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const json = (value: unknown): void =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.url === '/list') return json(list(origin));
      const { id, method = '' } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
      const { authorization } = request.headers;
      calls.push({ path: request.url!, method, authorization });
      if (!accepts((authorization ?? '').replace('Bearer ', ''))) {
        onRefusal?.();
        return void response.writeHead(401, { 'content-type': 'text/plain' }).end(`not as ${authorization}`);
      }
      if (request.method !== 'POST' || id === undefined) return void response.writeHead(202).end();
      return json(answer(id, method));
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, calls };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

function answer(id: number, method: string): object {
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'slack', version: '1' },
    },
    'tools/list': { tools: [{ name: 'post', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'posted' }] },
  };
  const result = results[method];
  return { jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'Method not found' } }) };
}

const settings = (origin: string, token: string): object => ({
  settings: { connectors: { url: `${origin}/list`, token } },
});

/** A sandbox whose connector list has been fetched once, as `list` does; no server has been asked. */
async function signedIn({ origin }: Connectors, token: string): Promise<Sandbox> {
  const sandbox = makeSandbox({ [USER_FILE]: settings(origin, token) });
  const { home, project, managed } = sandbox;
  const context = openContext({ cwd: project, env: { HOME: home }, platform: 'linux', managedDirectories: [managed] });
  await refreshConnectors(context, (await loadHostConfig(context)).settings.connectors!);
  return sandbox;
}

const slack = (origin: string): object => ({
  name: 'Slack',
  url: 'https://slack.example/mcp',
  proxyUrl: `${origin}/proxy?mcp_url=slack`,
});

test('a tool of a connector is called through the proxy, with the token of the account', async () => {
  const connectors = await openConnectors({
    list: (origin) => [slack(origin)],
    accepts: (token) => token === 'account-token-1',
  });
  const sandbox = await signedIn(connectors, 'account-token-1');
  const { code, stdout, stderr } = await sandbox.run(['call', 'Slack.post']);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'posted\n', stderr: '' });
  expect(new Set(connectors.calls.map(({ path, authorization }) => `${path} ${authorization}`))).toEqual(
    new Set(['/proxy?mcp_url=slack Bearer account-token-1']),
  );
});

test('a list asks the catalogue, and then the servers in it', async () => {
  const connectors = await openConnectors({ list: (origin) => [slack(origin)], accepts: () => true });
  const sandbox = makeSandbox({ [USER_FILE]: settings(connectors.origin, 'account-token-1') });
  const { code, stdout, stderr } = await sandbox.run(['list']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^✔ \S*Slack +connected +connector-proxy +connectors +2025-06-18 +1 +0 +0 +\d+$/mu);
});

test('a token that another process has replaced meanwhile is found, and the run goes on', async () => {
  const connectors = await openConnectors({
    list: (origin) => [slack(origin)],
    accepts: (token) => token === 'account-token-2',
    onRefusal: () =>
      writeFileSync(join(sandbox.root, USER_FILE), JSON.stringify(settings(connectors.origin, 'account-token-2'))),
  });
  const sandbox = await signedIn(connectors, 'account-token-1');
  const { code, stdout } = await sandbox.run(['call', 'Slack.post']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'posted\n' });
  const refused = connectors.calls.filter(({ authorization }) => authorization === 'Bearer account-token-1');
  expect(refused).toHaveLength(1);
});

test('a token that is refused ends with exit code 4, says where to renew it, and is shown nowhere', async () => {
  const connectors = await openConnectors({ list: (origin) => [slack(origin)], accepts: () => false });
  const sandbox = await signedIn(connectors, 'account-token-1');
  const file = join(sandbox.root, 'recorded.jsonl');
  for (const more of [['--verbose'], ['--json'], ['--record', file]]) {
    const { code, stdout, stderr } = await sandbox.run(['call', 'Slack.post', ...more]);
    expect(code).toBe(4);
    expect(stdout + stderr).toContain('settings.connectors.token');
    expect(stdout + stderr).not.toContain('account-token');
  }
  expect(sandbox.read('recorded.jsonl')).not.toContain('account-token');
});

test('a repository that calls its own server a connector gets no token, wherever it points', async () => {
  const connectors = await openConnectors({ list: () => [], accepts: () => true });
  const elsewhere = await openConnectors({ list: () => [], accepts: () => true });
  const sandbox = await signedIn(connectors, 'account-token-1');
  const type = 'connector-proxy';
  sandbox.write(PROJECT_FILE, {
    mcpServers: {
      near: { type, url: 'https://slack.example/mcp', proxyUrl: `${connectors.origin}/proxy` },
      far: { type, url: 'https://slack.example/mcp', proxyUrl: `${elsewhere.origin}/proxy` },
      bare: { type, url: `${elsewhere.origin}/proxy` },
    },
  });
  for (const name of ['near', 'far', 'bare']) {
    const { code } = await sandbox.run(['call', `${name}.post`, '--approve-project-servers']);
    expect(code).toBe(0);
  }
  const sent = [...connectors.calls, ...elsewhere.calls].map(({ authorization }) => authorization);
  expect(sent.length).toBeGreaterThan(6);
  expect(new Set(sent)).toEqual(new Set([undefined]));
});

test('a catalogue cannot have the token sent to another origin than its own', async () => {
  const elsewhere = await openConnectors({ list: () => [], accepts: () => true });
  const connectors = await openConnectors({ list: () => [slack(elsewhere.origin)], accepts: () => true });
  const sandbox = await signedIn(connectors, 'account-token-1');
  expect((await sandbox.run(['call', 'Slack.post'])).stdout).toBe('posted\n');
  expect(new Set(elsewhere.calls.map(({ authorization }) => authorization))).toEqual(new Set([undefined]));
});
