import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runChild } from '../lib/run-child.mjs';

const LIMIT_MS = 10_000; // for one child; the floor needs one or two seconds

/** Runs one client in one case in a fresh process. Returns its figures, or `why` there are none. */
export async function runClient({ node, env, cwd, plan, script = 'child.mjs' }) {
  const { figures, why } = await runChild({ node, env, cwd, plan, script: fileOf(script), limitMs: LIMIT_MS });
  return figures ? { ok: true, ...figures } : { ok: false, why };
}

/** The command of a server that lives as long as its client. */
export function commandOf({ transport, era, sizes = [] }) {
  return { command: process.execPath, args: [fileOf(`servers/${transport}.mjs`), era, ...sizes.map(String)] };
}

/** Starts one server for the whole bench, on the Node of the run. Ends when `close` is called, or with this process. */
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
