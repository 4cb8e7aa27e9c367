import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runChild } from '../lib/run-child.mjs';
import { findMarked, MARK } from './marked.mjs';

const LIMIT_MS = 60_000; // for one child; the slowest peer needs 5 s for a hundred servers, 10 s on a busy machine
const GONE_MS = 5000; // until the last server has exited, after its client has; the next run waits for this
const LOOK_EVERY_MS = 20;

/** Runs one client on one fleet in a fresh process. Returns figures (ms, MB) or `why` not, and `leftovers`. */
export async function runClient({ node, env, cwd, plan }) {
  const started = process.hrtime.bigint();
  const { figures, why } = await runChild({ node, env, cwd, plan, script: fileOf('child.mjs'), limitMs: LIMIT_MS });
  const leftovers = await waitForEnd(plan.mark);
  if (figures === undefined) return { ok: false, why, leftovers };
  const { connected, known, ...rest } = figures;
  return { ok: true, wall: since(connected), known: since(known), ...rest, leftovers };

  function since(stamp) {
    return Number(BigInt(stamp) - started) / 1e6;
  }
}

/** Waits for the last server with this mark. Returns how many had to be killed because they outlived GONE_MS. */
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
    // the process has just exited
  }
}

/** The command that starts one stdio server. */
export function commandOf({ name, tools, boot = 0, mark }) {
  return {
    command: process.execPath,
    args: [fileOf('servers/stdio.mjs'), name, String(tools), String(boot)],
    ...(mark !== undefined && { env: { [MARK]: mark } }),
  };
}

/** Starts one process that is many HTTP servers. Ends when `close` is called, or with this process. */
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
