import { fork, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LIMIT_MS = 10_000; // for one child; the floor needs one or two seconds

/** Runs one client on one case in a fresh process. Gives its figures, or why there are none. */
export function runClient({ node = process.execPath, env, cwd, plan, script = 'child.mjs' }) {
  return new Promise((done) => {
    const running = spawn(node, [fileOf(script), JSON.stringify(plan)], {
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

/** What starts a server that lives as long as its client. */
export function commandOf({ transport, era, sizes = [] }) {
  return { command: process.execPath, args: [fileOf(`servers/${transport}.mjs`), era, ...sizes.map(String)] };
}

/** One server for the whole bench, on the Node of the run. Gone when `close` is called, or with this process. */
export async function startServer({ env, cwd, transport, era, sizes }) {
  const { args } = commandOf({ transport, era, sizes });
  const server = fork(args[0], args.slice(1), { env, cwd, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const port = await new Promise((found, failed) => {
    server.once('message', found).once('error', failed);
    server.once('exit', () => failed(new Error(`the ${transport} server of the bench does not start`)));
  });
  const scheme = transport === 'ws' ? 'ws' : 'http';
  return {
    url: `${scheme}://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`,
    close: () => server.disconnect(),
  };
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
