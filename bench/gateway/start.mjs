// Starts and ends the programs of the bench.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const START_MS = 30_000;
const POLL_MS = 20;
const END_MS = 5_000;

/** `{ pid, close }`, and `line`, the first that it writes, with `isTold`. */
export async function startProgram(command, args, { env, cwd, isTold = false }) {
  const child = spawn(command, args, { env, cwd, stdio: ['ignore', isTold ? 'pipe' : 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = `${said}${text}`.slice(-2_000)));
  // Not `close`: what the program has left behind may hold its output open.
  const ended = once(child, 'exit');
  const close = async () => {
    child.kill();
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(timer);
    child.stderr.destroy();
  };
  const failed = () => new Error(`${command} ${args.slice(0, 2).join(' ')} does not start: ${said}`);
  if (!isTold) return { pid: child.pid, close, failed };
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), ended.then(() => [])]);
  if (typeof line !== 'string') throw failed();
  return { pid: child.pid, close, line };
}

/** Resolves when something listens on the port. */
export async function untilListening(port, failed) {
  const limit = performance.now() + START_MS;
  while (performance.now() < limit) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await new Promise((done) =>
      socket.once('connect', () => done(true)).once('error', () => done(false)),
    );
    socket.destroy();
    if (isThere) return;
    await pause(POLL_MS);
  }
  throw failed();
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
