import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MARK, processesLeft } from '../hostile/processes.js';

const root = resolve(import.meta.dirname, '../..');

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Processes that still run afterwards. */
  readonly left: readonly string[];
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Called as soon as the example runs. */
  readonly onStart?: (child: ChildProcess) => void;
}

/**
 * Runs an example as a user does, with only two servers configured: `desk`, whose tools a model sees at once, and the
 * demo's `notes`, which it must search for.
 */
export async function runExample(name: string, { env = {}, args = [], onStart }: RunOptions): Promise<Ran> {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-example-'));
  const mark = randomUUID();
  const folder = join(home, '.config/plugboard');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ settings: { toolSearch: 'always' } }));
  const servers = join(home, 'servers.json');
  writeFileSync(servers, JSON.stringify({ mcpServers: toServers(mark) }));
  const child = spawn(
    process.execPath,
    [join(root, 'examples', name), ...args.map((arg) => (arg === SERVERS ? servers : arg))],
    {
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1', [MARK]: mark, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)];
  onStart?.(child);
  const status = await new Promise<number | null>((done) => void child.once('close', done));
  const left = await processesLeft(mark);
  rmSync(home, { recursive: true, force: true });
  return { status, stdout: stdout(), stderr: stderr(), left };
}

/** In `args`: stands for the file with these two servers. */
export const SERVERS = 'SERVERS';

function toServers(mark: string): object {
  const env = { [MARK]: mark };
  return {
    desk: { command: process.execPath, args: [join(root, 'test/examples/desk-server.mjs')], env, alwaysLoad: true },
    notes: { command: process.execPath, args: [join(root, 'demo/servers/notes.mjs')], env },
  };
}

function gather(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (piece) => (text += String(piece)));
  return () => text;
}
