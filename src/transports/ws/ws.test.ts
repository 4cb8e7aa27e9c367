import type { JsonObject } from '../../base/json.js';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { makeIdentity } from '../../../test/faults/certificates.js';
import { Secret } from '../../base/secret.js';
import { callTool } from '../../connection/requests/call-tool.js';
import type { Connection } from '../../connection/connect.js';
import { ConnectionFactory, type ConnectionFactoryOptions } from '../../connection/connection-factory.js';
import { listTools } from '../../connection/catalog/tool-definition.js';
import type { ServerConfig } from '../kinds.js';
import { failureOf } from '../peer-fixtures.js';
import { listen, openWsServer, wsResult, send } from './ws-fixtures.js';

function openConnectionFactory(env: ConnectionFactoryOptions['env'] = {}): ConnectionFactory {
  const connectionFactory = new ConnectionFactory({
    env,
    platform: process.platform,
    cwd: process.cwd(),
    state: undefined,
  });
  onTestFinished(async () => connectionFactory[Symbol.asyncDispose]());
  return connectionFactory;
}

const open = (config: ServerConfig, env?: ConnectionFactoryOptions['env']): Promise<Connection> =>
  openConnectionFactory(env).connect({ name: 'x', config });

/** A server of 2024-11-05 whose tools return their call's parameters. */
function serving(tools: readonly string[]): (message: JsonObject, client: WebSocket) => void {
  const inputSchema = { type: 'object' };
  return (message, client) => {
    const { method, params, id } = message;
    if (id === undefined) return;
    if (method === 'initialize') {
      const serverInfo = { name: 'bridge', version: '1' };
      send(client, wsResult(message, { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo }));
    } else if (method === 'tools/list') {
      send(client, wsResult(message, { tools: tools.map((name) => ({ name, inputSchema })) }));
    } else if (method === 'tools/call') {
      send(client, wsResult(message, { content: [{ type: 'text', text: JSON.stringify(params) }] }));
    } else send(client, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } });
  };
}

/** The tools of a browser extension's bridge. */
const BROWSER_TOOLS = [
  'javascript_tool',
  'read_page',
  'find',
  'form_input',
  'computer',
  'navigate',
  'resize_window',
  'gif_creator',
];

test('the eight tools of a browser bridge are found and called', async () => {
  const { url } = await openWsServer(serving(BROWSER_TOOLS));
  const connection = await open({ type: 'ws', url, headers: {} });
  expect(connection.session.version).toBe('2024-11-05');
  const { tools, setAside } = await listTools(connection);
  expect(tools.map(({ name }) => name)).toEqual(BROWSER_TOOLS);
  expect(setAside).toEqual([]);
  for (const tool of BROWSER_TOOLS) {
    const answer = await callTool(connection, { tool, input: { tab: 7 } });
    expect(answer.content).toEqual([{ type: 'text', text: `{"name":"${tool}","arguments":{"tab":7}}` }]);
  }
});

describe('an editor', () => {
  const EDITOR_TOOLS = ['openFile', 'executeCode', 'getDiagnostics', 'closeAllTabs'];

  test('is shown its token and nothing else of it, and keeps most of its tools to itself', async () => {
    const server = await openWsServer(serving(EDITOR_TOOLS));
    const headers = { 'x-claude-code-ide-authorization': new Secret('stale'), 'X-Other': new Secret('y') };
    const authToken = new Secret('ide-token-1');
    const connection = await open({ type: 'ws-ide', url: server.url, headers, authToken });
    expect(server.visits[0]!.headers).toMatchObject({
      'x-claude-code-ide-authorization': 'ide-token-1',
      'x-other': 'y',
    });
    expect(server.visits[0]!.headers.authorization).toBeUndefined();
    const { tools } = await listTools(connection);
    expect(tools.map(({ name }) => name)).toEqual(['executeCode', 'getDiagnostics']);
  });

  test('that has no token is shown none', async () => {
    const server = await openWsServer(serving(EDITOR_TOOLS));
    await open({ type: 'ws-ide', url: server.url, headers: {} });
    expect(server.visits[0]!.headers['x-claude-code-ide-authorization']).toBeUndefined();
  });

  test('that refuses the token does not get it into an error', async () => {
    const http = createHttpServer(({ headers }, response) => {
      const said = `no access for ${String(headers['x-claude-code-ide-authorization'])}`;
      response.writeHead(401, { 'content-type': 'text/plain' }).end(said);
    });
    const authToken = new Secret('ide-token-1');
    const error = await failureOf(open({ type: 'ws-ide', url: `ws://${await listen(http)}/`, headers: {}, authToken }));
    expect(error).toMatchObject({ code: 'unauthorized' });
    expect(error.message).toContain('no access for ••••');
  });
});

describe('wss', () => {
  const authority = makeIdentity({ name: 'authority', isAuthority: true });
  const stranger = makeIdentity({ name: 'stranger', isAuthority: true });
  const { cert, key } = makeIdentity({ name: 'server', issuer: authority, hosts: ['127.0.0.1'] });
  const me = makeIdentity({ name: 'me', issuer: authority });

  async function openSecureServer(): Promise<string> {
    const https = createHttpsServer({ cert, key, ca: authority.cert, requestCert: true, rejectUnauthorized: true });
    const serve = serving(['whoami']);
    new WebSocketServer({ server: https, handleProtocols: () => 'mcp' }).on('connection', (client: WebSocket) => {
      client.on('message', (data: Buffer) => serve(JSON.parse(data.toString()) as JsonObject, client));
    });
    return `wss://${await listen(https)}/mcp`;
  }

  test('is opened with the issuer and the certificate of the entry', async () => {
    const url = await openSecureServer();
    const tls = { ca: authority.cert, cert: me.cert, key: me.key };
    const connection = await open({ type: 'ws', url, headers: {}, tls });
    const { tools } = await listTools(connection);
    expect(tools.map(({ name }) => name)).toEqual(['whoami']);
    const text = 'é'.repeat(100_000);
    const answer = await callTool(connection, { tool: 'whoami', input: { text } });
    expect(JSON.stringify(answer.content)).toContain(text);
  });

  test('is not opened to a server that nobody vouches for', async () => {
    const url = await openSecureServer();
    const error = await failureOf(open({ type: 'ws', url, headers: {}, tls: { ca: stranger.cert } }));
    expect(error.message).toMatch(/^Server "x" .*certificate/u);
  });
});

test('a proxy of the environment is gone through, and gets no header of the entry', async () => {
  const server = await openWsServer(serving(['far']));
  const target = Number(new URL(server.url).port);
  const tunnels: IncomingMessage[] = [];
  const proxy = createHttpServer().on('connect', (request: IncomingMessage, socket) => {
    tunnels.push(request);
    const onward = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => {});
    onTestFinished(() => void onward.destroy());
  });
  const env = { HTTP_PROXY: `http://${await listen(proxy)}` };
  const headers = { Authorization: new Secret('Bearer secret') };
  const connection = await open({ type: 'ws', url: 'ws://mcp.example/mcp', headers }, env);
  const { tools } = await listTools(connection);
  expect(tools.map(({ name }) => name)).toEqual(['far']);
  expect(tunnels.map(({ url }) => url)).toEqual(['mcp.example:80']);
  expect(tunnels[0]!.headers.authorization).toBeUndefined();
  expect(server.visits[0]!.headers).toMatchObject({ host: 'mcp.example', authorization: 'Bearer secret' });
});

test('an entry with a headersHelper is refused by name', async () => {
  const { url } = await openWsServer();
  const error = await failureOf(open({ type: 'ws', url, headers: {}, headersHelper: 'get-token' }));
  expect(error.code).toBe('unsupported');
  expect(error.message).toContain('headersHelper');
});
