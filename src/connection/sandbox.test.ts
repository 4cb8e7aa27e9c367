import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HostError } from '../base/errors.js';
import { Secret } from '../base/secret.js';
import { noSandbox } from '../edge/sandbox/sandbox-fixtures.js';
import type { SandboxSettings } from '../edge/sandbox/sandbox.js';
import type { ServerConfig } from '../transports/kinds.js';
import { callTool } from './requests/call-tool.js';
import { ConnectionFactory, type ConnectionFactoryOptions } from './connection-factory.js';
import { onDisk } from '../../test/on-disk.js';

const missing = await noSandbox();
onDisk();

/** A server whose one tool writes a file and returns the outcome and its TMPDIR. */
const WRITER = `
  const greet = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
  const write = (path) => { try { require('node:fs').writeFileSync(path, 'x'); return 'written'; } catch (error) { return error.code; } };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const content = () => [{ type: 'text', text: write(params.arguments.path) + ' ' + process.env.TMPDIR }];
    const answer = method === 'initialize' ? { result: greet } : method === 'tools/call' ? { result: { content: content() } }
      : { error: { code: -32601, message: 'no' } };
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
  });`;

const writer = (sandbox?: true | SandboxSettings, env: Readonly<Record<string, Secret>> = {}): ServerConfig => ({
  type: 'stdio',
  command: process.execPath,
  args: ['-e', WRITER],
  env,
  ...(sandbox && { sandbox }),
});

function openConnectionFactory(options: Partial<ConnectionFactoryOptions> = {}): {
  readonly connectionFactory: ConnectionFactory;
  readonly folder: string;
} {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-dock-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'out'));
  const env = { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder };
  const connectionFactory = new ConnectionFactory({
    env,
    platform: process.platform,
    cwd: folder,
    state: join(folder, 'state'),
    ...options,
  });
  return { connectionFactory, folder };
}

async function writeWith(connectionFactory: ConnectionFactory, config: ServerConfig, path: string): Promise<string> {
  await using connection = await connectionFactory.connect({ name: 'writer', config });
  const { content } = await callTool(connection, { tool: 'write', input: { path } });
  return (content[0] as { text: string }).text;
}

test.skipIf(missing !== undefined)(
  `a server in a sandbox answers calls, and writes only where its entry says${missing === undefined ? '' : ` (${missing})`}`,
  async () => {
    const { connectionFactory: host, folder } = openConnectionFactory();
    await using connectionFactory = host;
    expect(await writeWith(connectionFactory, writer(true), 'out/a')).toBe('EROFS /tmp');
    expect(await writeWith(connectionFactory, writer({ write: ['out'] }), 'out/a')).toBe('written /tmp');
    expect(await writeWith(connectionFactory, writer(true, { TMPDIR: new Secret('/x') }), '/tmp/a')).toBe('written /x');
    expect(await writeWith(connectionFactory, writer(), 'out/b')).toBe(`written ${folder}`);
    expect(['out/a', 'out/b'].map((file) => existsSync(join(folder, file)))).toEqual([true, true]);
  },
);

test.each<[what: string, options: Partial<ConnectionFactoryOptions>, message: RegExp, hint: RegExp]>([
  ['without bubblewrap', { env: { PATH: '/no/such' } }, /bubblewrap is not installed/u, /bubblewrap/u],
  ['of another kind', { platform: 'darwin' }, /this is darwin/u, /Linux/u],
])('on a machine %s a server that asks for a sandbox is not started at all', async (_, options, message, hint) => {
  const { connectionFactory: host } = openConnectionFactory(options);
  await using connectionFactory = host;
  const error: unknown = await connectionFactory
    .connect({ name: 'db', config: writer(true) })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(HostError);
  expect(error).toMatchObject({
    code: 'sandbox-unavailable',
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  });
  expect((error as HostError).message).toContain('Server "db" cannot run in a sandbox: ');
});
