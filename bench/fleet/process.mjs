import { fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findMarked, MARK } from './marked.mjs';

const LIMIT_MS = 60_000; // for one child; the slowest peer needs 5 s for a hundred servers, 10 on a busy machine
const GONE_MS = 5000; // to the end of the last server, once its client has ended; the next run waits for it
const LOOK_EVERY_MS = 20;

/** Runs one client on one fleet in a fresh process. Gives its figures in ms and MB, or why there are none, and who was left over. */
export async function runClient({ node, env, cwd, plan }) {
  const started = process.hrtime.bigint();
  const { figures, why } = await runChild({ node, env, cwd, plan });
  const leftovers = await waitForEnd(plan.mark);
  if (figures === undefined) return { ok: false, why, leftovers };
  const { connected, known, ...rest } = figures;
  return { ok: true, wall: since(connected), known: since(known), ...rest, leftovers };

  function since(stamp) {
    return Number(BigInt(stamp) - started) / 1e6;
  }
}

async function runChild({ node, env, cwd, plan }) {
  const running = spawn(node, [fileOf('child.mjs'), JSON.stringify(plan)], {
    env,
    cwd,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let figures = '';
  let errors = '';
  let late = false;
  const timer = setTimeout(() => ((late = true), running.kill('SIGKILL')), LIMIT_MS);
  running.stdio[3].on('data', (chunk) => (figures += chunk));
  running.stderr.on('data', (chunk) => (errors = (errors + chunk).slice(-4000)));
  running.on('error', (error) => (errors += error.message));
  const ended = new Promise((done) => running.on('exit', done).on('error', done));
  const read = new Promise((done) => running.stdio[3].on('close', done));
  const [code] = await Promise.all([ended, read]);
  clearTimeout(timer);
  running.stderr.destroy(); // a server that has outlived its client would hold it open
  if (code === 0 && figures !== '') return { figures: JSON.parse(figures) };
  return { why: late ? `over ${LIMIT_MS / 1000} s` : toReason(errors) };
}

/** Waits for the last server with this mark. Gives how many had to be killed, because they outlived their client by seconds. */
export async function waitForEnd(mark) {
  const deadline = performance.now() + GONE_MS;
  for (;;) {
    const left = findMarked(mark);
    if (left.length === 0) return 0;
    if (performance.now() > deadline) {
      left.forEach(kill);
      return left.length;
    }
    await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone in this very moment
  }
}

/** What starts one server over stdio. */
export function commandOf({ name, tools, boot = 0, mark }) {
  return {
    command: process.execPath,
    args: [fileOf('servers/stdio.mjs'), name, String(tools), String(boot)],
    ...(mark !== undefined && { env: { [MARK]: mark } }),
  };
}

/** One process that is many servers over HTTP. Gone when `close` is called, or with this process. */
export async function startHttp({ count, tools, env, cwd }) {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'];
  const server = fork(fileOf('servers/http.mjs'), [String(count), String(tools)], { env, cwd, stdio });
  const ports = [];
  await new Promise((done, failed) => {
    server.on('message', (port) => ports.push(port) === count && done());
    server.once('error', failed);
    server.once('exit', () => failed(new Error('the HTTP servers of the bench do not start')));
  });
  return { urls: ports.map((port) => `http://127.0.0.1:${port}/mcp`), close: () => server.disconnect() };
}

function fileOf(name) {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** The line of a crash that says something. */
function toReason(errors) {
  const lines = errors.split('\n').map((line) => line.trim());
  return (
    lines.find((line) => /^\[?(\w*Error|HostError)\b/u.test(line)) ?? lines.find((line) => line !== '') ?? 'no output'
  );
}
