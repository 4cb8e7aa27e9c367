// Whatever stands between a client and the echo server: ours, other people's, and what only passes bytes on.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOf } from '../wire/process.mjs';
import { freePort, startProgram, untilListening } from './start.mjs';
import { childrenOf } from './usage.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const peers = join(here, 'peers');
const INSTALL_LIMIT_MS = 240_000;

/**
 * `name`; `upstream`: the echo server behind it; `era`: what its clients speak; `start`: returns `{ url, pids, close }`,
 * the processes being those of the stack alone; `isPeer`: not ours.
 */
export function stacksFor({ world, http }) {
  const own = (era, entry) => ({ era, start: (home) => startOurs(world, { entry, home }) });
  const legacyStdio = commandOf({ transport: 'stdio', era: 'legacy' });
  const peer = (start) => ({ era: 'legacy', isPeer: true, start: () => start(world) });
  return [
    { name: 'no gateway', upstream: 'http', era: 'legacy', start: () => ({ url: http.legacy, pids: [], close() {} }) },
    { name: 'nginx, passing through', upstream: 'http', ...peer(() => startNginx(world, http.legacy)) },
    { name: 'bytes through node', upstream: 'http', ...peer(() => startByteProxy(world, http.legacy)) },
    { name: 'plugboard, legacy to legacy', upstream: 'http', ...own('legacy', { type: 'http', url: http.legacy }) },
    { name: 'plugboard, modern to modern', upstream: 'http', ...own('modern', { type: 'http', url: http.modern }) },
    { name: 'SDK 1 proxy', upstream: 'http', ...peer(() => startSdk(world, 'sdk1-proxy.mjs', [http.legacy])) },
    { name: 'SDK 2 proxy', upstream: 'http', ...peer(() => startSdk(world, 'sdk2-proxy.mjs', [http.legacy])) },
    { name: 'plugboard, legacy to modern', upstream: 'stdio', ...own('legacy', stdio('modern')) },
    { name: 'plugboard, modern to legacy', upstream: 'stdio', ...own('modern', stdio('legacy')) },
    { name: 'plugboard, modern to modern', upstream: 'stdio', ...own('modern', stdio('modern')) },
    { name: 'mcp-proxy', upstream: 'stdio', ...peer(() => startMcpProxy(world, legacyStdio)) },
    { name: 'supergateway', upstream: 'stdio', ...peer(() => startSupergateway(world, legacyStdio)) },
    { name: 'SDK 1 proxy', upstream: 'stdio', ...peer(() => startSdk(world, 'sdk1-proxy.mjs', toArgs(legacyStdio))) },
    { name: 'SDK 2 proxy', upstream: 'stdio', ...peer(() => startSdk(world, 'sdk2-proxy.mjs', toArgs(legacyStdio))) },
  ];
}

function stdio(era) {
  return { type: 'stdio', ...commandOf({ transport: 'stdio', era }) };
}

/** Why other gateways are not there; undefined when they are. */
export function installGateways() {
  const lock = join(peers, 'package-lock.json');
  const installed = join(peers, 'node_modules/.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return undefined;
  process.stderr.write('Installing the gateways to compare with into bench/gateway/peers (once, 110 MB) ...\n');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
  const { status } = spawnSync('npm', args, { cwd: peers, stdio: ['ignore', 2, 2], timeout: INSTALL_LIMIT_MS });
  return status === 0 ? undefined : `not installed, npm ci in bench/gateway/peers ended with ${status}`;
}

/** The version of another gateway, as it is shown. */
export function versionOf(name) {
  const { dependencies } = JSON.parse(readFileSync(join(peers, 'package.json'), 'utf8'));
  return dependencies[name];
}

/** The gateway of the build, with one server `echo` or as `servers` says. */
export async function startOurs(world, { entry, servers = { echo: entry }, home, flags = [] }) {
  world.write(join(home, '.config/plugboard/config.json'), { mcpServers: servers });
  const all = [
    world.program,
    'serve',
    '--http',
    '0',
    '--json',
    '--auth',
    'none',
    '--permission-mode',
    'bypass',
    ...flags,
  ];
  const options = { env: world.env(home), cwd: join(home, 'project'), isTold: true };
  const { pid, close, line } = await startProgram(process.execPath, all, options);
  const { origin } = new URL(JSON.parse(line).url);
  return { url: `${origin}/mcp/echo`, origin, pids: [pid], close };
}

async function startNginx(world, url) {
  const port = await freePort();
  const { host } = new URL(url);
  const file = join(world.folder, `nginx-${port}.conf`);
  world.write(
    file,
    `worker_processes 1; daemon off; error_log /dev/null; pid ${file}.pid;
events { worker_connections 1024; }
http { access_log off; client_body_temp_path ${file}.body; proxy_temp_path ${file}.proxy;
  fastcgi_temp_path ${file}.f; uwsgi_temp_path ${file}.u; scgi_temp_path ${file}.s; keepalive_requests 10000000;
  upstream echo { server ${host}; keepalive 64; keepalive_requests 10000000; }
  server { listen 127.0.0.1:${port};
    location / { proxy_pass http://echo; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; } } }
`,
  );
  const nginx = await startProgram('nginx', ['-c', file, '-e', '/dev/null'], {
    env: nginxEnvironment(),
    cwd: world.folder,
  });
  await untilListening(port, nginx.failed);
  return { url: `http://127.0.0.1:${port}/mcp`, pids: [nginx.pid, ...childrenOf(nginx.pid)], close: nginx.close };
}

/** Debian has it where only administrators look. */
function nginxEnvironment() {
  return { PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
}

async function startByteProxy(world, url) {
  const port = await freePort();
  return startNode(world, { port, args: [join(here, 'byte-proxy.mjs'), port, new URL(url).port] });
}

async function startSdk(world, file, target) {
  const port = await freePort();
  return startNode(world, { port, args: [join(peers, file), port, ...target] });
}

async function startMcpProxy(world, upstream) {
  const port = await freePort();
  const flags = ['--port', port, '--host', '127.0.0.1', '--server', 'stream', '--'];
  return startNode(world, { port, args: [join(peers, 'node_modules/.bin/mcp-proxy'), ...flags, ...toArgs(upstream)] });
}

/** With a process for each session: without, it starts one for each request. */
async function startSupergateway(world, upstream) {
  const port = await freePort();
  const flags = ['--outputTransport', 'streamableHttp', '--stateful', '--port', port, '--logLevel', 'none'];
  const program = join(peers, 'node_modules/.bin/supergateway');
  return startNode(world, { port, args: [program, '--stdio', toArgs(upstream).join(' '), ...flags] });
}

async function startNode(world, { port, args }) {
  const options = { env: world.env(world.folder), cwd: world.folder };
  const program = await startProgram(process.execPath, args.map(String), options);
  await untilListening(port, program.failed);
  return { url: `http://127.0.0.1:${port}/mcp`, pids: [program.pid], close: program.close };
}

function toArgs({ command, args }) {
  return [command, ...args];
}
