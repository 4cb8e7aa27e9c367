import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { listing } from '../gateway/list-servers.js';
import { makeSandbox, type Run, type Sandbox, USER_FILE } from './sandbox.js';

const sandboxOf = (): Sandbox =>
  makeSandbox({ [USER_FILE]: { mcpServers: listing('zoo', { tools: ['feed'], prompts: ['tale'] }) } });

interface Served {
  readonly url: string;
  readonly keyFile: string | undefined;
  readonly stop: () => Promise<Run>;
}

/** Serves over HTTP until `stop`. */
async function serve(sandbox: Sandbox, ...flags: readonly string[]): Promise<Served> {
  const interrupting = new AbortController();
  let running: Promise<Run> | undefined;
  const line = await new Promise<string>((heard, failed) => {
    running = sandbox.run(['serve', '--http', '0', '--json', ...flags], {
      interrupted: interrupting.signal,
      onStdout: (text) => (heard(text), true),
    });
    void running.then(({ stderr }) => failed(new Error(stderr)));
  });
  const { url, keyFile } = JSON.parse(line) as { url: string; keyFile?: string };
  return { url, keyFile, stop: () => (interrupting.abort(), running!) };
}

async function post(url: string, message: JsonObject, key?: string): Promise<{ status: number; body: JsonObject }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': String(message['method']),
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  return { status: response.status, body: (await response.json()) as JsonObject };
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const LIST = { method: 'tools/list', params: { _meta: ENVELOPE } };

test('a client with the key gets the tools of the servers, and one without gets nothing', async () => {
  const sandbox = sandboxOf();
  const { url, keyFile, stop } = await serve(sandbox);
  expect(keyFile).toBe(join(sandbox.home, '.local/state/plugboard/gateway-key'));
  expect(statSync(keyFile!).mode & 0o777).toBe(0o600);
  const key = readFileSync(keyFile!, 'utf8').trim();
  const { status, body } = await post(url, LIST, key);
  expect([status, body['result']]).toMatchObject([200, { tools: [{ name: 'zoo__feed' }], resultType: 'complete' }]);
  expect((await post(url, LIST)).status).toBe(401);
  expect((await post(url, LIST, `${key}x`)).status).toBe(401);
  expect((await post(`${url}/nobody`, LIST, key)).status).toBe(404);
  expect((await post(`${url}/zoo`, LIST, key)).body['result']).toMatchObject({ tools: [{ name: 'feed' }] });
  const { code, stdout, stderr } = await stop();
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { url }]);
  expect(stderr).not.toContain('Ctrl-C again');
});

test('the key stays the same, and stands in the lines for clients', async () => {
  const sandbox = sandboxOf();
  const { keyFile, stop } = await serve(sandbox);
  await stop();
  const key = readFileSync(keyFile!, 'utf8').trim();
  const interrupting = new AbortController();
  const { code, stdout, stderr } = await sandbox.run(['serve', '--http', '0'], {
    interrupted: interrupting.signal,
    onStderr: (text) => void (text.includes('context_servers') && interrupting.abort()),
  });
  expect([code, stdout]).toEqual([0, '']);
  for (const client of ['Claude Code:', 'Cursor', 'VS Code:', 'Codex', 'Zed']) expect(stderr).toContain(client);
  expect(stderr.split(`Bearer ${key}`)).toHaveLength(6);
});

test('without a key everybody on this machine is answered, and that is said', async () => {
  const { url, keyFile, stop } = await serve(sandboxOf(), '--auth', 'none');
  expect(keyFile).toBeUndefined();
  expect((await post(url, LIST)).status).toBe(200);
  expect((await stop()).stderr).toContain('every account of this machine');
});

test.each([
  [['--http', '0.0.0.0:8931'], 'can be reached from other machines'],
  [['--http', 'example.com:8931'], 'can be reached from other machines'],
  [['--http', 'here'], '--http wants a port'],
  [['--http', '99999'], '--http wants a port'],
  [['--http', '0', '--auth', 'all'], 'none'],
  [['--auth', 'none'], '--auth is for --http'],
  [['--http', '0', '--path', '/mcp/zoo'], '--path is for stdio'],
  [['zoo'], 'serve takes no words'],
  [['--path', '/mcp/nobody'], 'There is nothing at /mcp/nobody'],
  [['--path', '/mcp/nobody'], 'There are /mcp, /mcp/zoo, each'],
  [['--path', '/mcp?tools=some'], 'There is nothing at /mcp?tools=some'],
  [['--secret-file', 'nowhere'], 'nowhere'],
])('serve %j is refused and says why', async (flags, why) => {
  const control = { input: new PassThrough(), output: new PassThrough() };
  const { code, stderr } = await sandboxOf().run(['serve', ...flags], { control });
  expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
});

test('a client on stdio is served until it closes stdin', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const running = sandboxOf().run(['serve', '--path', '/mcp/zoo'], { control: { input, output } });
  const send = (message: JsonObject): void => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const lines = output.setEncoding('utf8').iterator() as AsyncIterableIterator<string>;
  const next = async (): Promise<JsonObject> => JSON.parse(String((await lines.next()).value)) as JsonObject;
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tester', version: '1' } };
  send({ id: 'a', method: 'initialize', params });
  expect(await next()).toMatchObject({ id: 'a', result: { protocolVersion: '2025-06-18' } });
  send({ method: 'notifications/initialized' });
  send({ id: 'b', method: 'prompts/list' });
  expect(await next()).toMatchObject({ id: 'b', result: { prompts: [{ name: 'tale' }] } });
  input.end();
  expect(await running).toMatchObject({ code: 0, stdout: '' });
});

test('a secret that others may read is refused', async () => {
  const sandbox = sandboxOf();
  const file = sandbox.write('home/secret', `${createHash('sha256').update('a').digest('hex')}\n`);
  const shared = await sandbox.run(['serve', '--http', '0', '--secret-file', file]);
  expect([shared.code, shared.stderr]).toEqual([2, expect.stringContaining('chmod 600')]);
});

const told = async (
  sandbox: Sandbox,
  flags: readonly string[],
  until: string,
  act?: () => unknown,
): Promise<string> => {
  const interrupting = new AbortController();
  let all = '';
  const { stderr } = await sandbox.run(['serve', '--http', '0', ...flags], {
    interrupted: interrupting.signal,
    onStderr: (text) => {
      all += text;
      if (all.includes(until)) interrupting.abort();
      else if (text.includes('Serving on')) act?.();
    },
  });
  return stderr;
};

test('a user without servers, or without rules, is told what clients will not get', async () => {
  expect(await told(makeSandbox({}), [], 'another port')).toContain('no server is configured yet');
  const team = makeSandbox({ 'home/code/app/.mcp.json': { mcpServers: { team: { command: 'team' } } } });
  expect(await told(team, [], 'another port')).toContain('not served: team (waits for: plugboard approve team)');
  expect(await told(sandboxOf(), [], 'another port')).toContain('no rule allows a call: clients ask');
  expect(await told(sandboxOf(), ['--allow', 'mcp__zoo'], 'another port')).not.toContain('no rule allows');
});

test('each server that waits is named with what it waits for', async () => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { here: { command: './run' } } } }, { isTrusted: false });
  expect(await told(sandbox, [], 'another port')).toContain('not served: here (waits for: plugboard trust)');
});

test('rules and presets that are for nothing are told with what was meant', async () => {
  const presets = { fine: { tools: ['mcp__zoo__feed'] }, odd: { servers: ['zo'], tools: ['zoo__feed'] } };
  const servers = { ...listing('zoo', { tools: ['feed'] }), ...listing('mem', {}) };
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: servers, settings: { gateway: { presets } } } });
  const flags = ['zoo', 'zoo__feed', 'mcp__zoos', 'mcp__mem', 'Read'].flatMap((rule) => ['--allow', rule]);
  const lines = (await told(sandbox, [...flags, '--deny', '*feed'], 'another port')).split('\n');
  expect(lines.filter((line) => line.startsWith('warning: '))).toEqual([
    'warning: --allow zoo matches no tool of a server: did you mean mcp__zoo?',
    'warning: --allow zoo__feed matches no tool of a server: did you mean mcp__zoo__feed?',
    'warning: --allow mcp__zoos names a server that is not configured: there are zoo, mem. Did you mean mcp__zoo?',
    'warning: preset "odd": "zo" in "servers" is not configured: there are zoo, mem',
    'warning: preset "odd": "zoo__feed" in "tools" matches no tool of a server: did you mean mcp__zoo__feed?',
  ]);
  expect(await told(sandbox, ['--allow', 'zoo'], 'another port')).toContain('no rule allows a call: clients ask');
});

test('a mode in which nobody is asked is told', async () => {
  const lines = await told(sandboxOf(), ['--permission-mode', 'bypass'], 'another port');
  expect(lines).toContain('warning: every client may call every tool without being asked');
});

test('a preset with a misspelt field is told at the start and not served', async () => {
  const presets = { one: {}, two: { server: ['zoo'] } };
  const sandbox = makeSandbox({ [USER_FILE]: { settings: { gateway: { presets } }, mcpServers: listing('zoo', {}) } });
  const { url, stop } = await serve(sandbox, '--auth', 'none');
  const statuses = [await post(`${url}/@one`, LIST), await post(`${url}/@two`, LIST)].map(({ status }) => status);
  expect(statuses).toEqual([200, 404]);
  expect((await stop()).stderr).toMatch(/preset "two": unknown field "server"[^]*Did you mean "servers"\?/u);
});

test('lines for clients have the public address where there is one', async () => {
  const lines = await told(sandboxOf(), ['--public-url', 'https://mcp.example.com/'], 'another port');
  expect(lines).toContain('plugboard https://mcp.example.com/mcp --header');
});

test('an edit that breaks the configuration is told by file and line', async () => {
  const sandbox = sandboxOf();
  const lines = await told(sandbox, [], 'last good', () => sandbox.write(USER_FILE, '{ "mcpServers": {'));
  expect(lines).toMatch(/config\.json:1 is not JSON/u);
});

test('a server that does not start is told with the command that says why', async () => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { gone: { command: './not-there' } } } });
  expect(await told(sandbox, [], 'plugboard doctor gone')).toContain('server "gone" does not work');
});
