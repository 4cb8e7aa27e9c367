import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Starts the scripted model as a process. It ends when `close` is called, or with this process. */
export async function startModel(env) {
  const script = fileURLToPath(new URL('model-api.mjs', import.meta.url));
  const running = spawn(process.execPath, [script], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: running.stdout });
  const url = await new Promise((done, failed) => {
    lines.once('line', done);
    running.once('error', failed);
    running.once('exit', () => failed(new Error('the model of the bench does not start')));
  });
  return { url, close: () => running.stdin.end() };
}
