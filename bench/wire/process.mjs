import { fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('child.mjs', import.meta.url));
const httpServer = fileURLToPath(new URL('servers/http.mjs', import.meta.url));
export const stdioServer = fileURLToPath(new URL('servers/stdio.mjs', import.meta.url));
const LIMIT_MS = 10_000; // for one child; the floor needs one or two seconds

/** Runs one client on one case in a fresh process. Gives its figures, or why there are none. */
export function runClient({ node, env, cwd, plan }) {
  return new Promise((done) => {
    const running = spawn(node, [child, JSON.stringify(plan)], {
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
    running.on('close', (code) => {
      clearTimeout(timer);
      if (code === 0 && figures !== '') done({ ok: true, ...JSON.parse(figures) });
      else done({ ok: false, why: late ? `over ${LIMIT_MS / 1000} s` : toReason(errors) });
    });
  });
}

/** One server for the whole bench, on the Node of the run. Gone when `close` is called, or with this process. */
export async function startHttpServer({ env, cwd, sizes }) {
  const server = fork(httpServer, sizes.map(String), { env, cwd, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const port = await new Promise((found, failed) => {
    server.once('message', found).once('error', failed);
    server.once('exit', () => failed(new Error('the HTTP server of the bench does not start')));
  });
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => server.disconnect() };
}

/** The line of a crash that says something. */
function toReason(errors) {
  const lines = errors.split('\n').map((line) => line.trim());
  return (
    lines.find((line) => /^\[?(\w*Error|HostError)\b/u.test(line)) ?? lines.find((line) => line !== '') ?? 'no output'
  );
}
