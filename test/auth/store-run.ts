import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';

export interface Run {
  readonly child: ChildProcess;
  readonly firstSaid: Promise<unknown>;
  readonly ended: Promise<{ readonly signal: NodeJS.Signals | null; readonly said: unknown[] }>;
}

export interface StoreRunner extends Disposable {
  folder(): string;
  /** `args`: COMMAND FOLDER KEYCHAIN ... of the driver. */
  run(args: readonly string[], options?: SpawnOptions): Run;
}

/** Builds the driver into one file, with `require` in place of `import.meta.resolve`. */
export async function openStoreRunner(): Promise<StoreRunner> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-store-runs-')));
  const driver = join(root, 'driver.mjs');
  const manifest = resolve(import.meta.dirname, '../../package.json');
  await build({
    entryPoints: [join(import.meta.dirname, 'store-driver.ts')],
    outfile: driver,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    define: { 'import.meta.resolve': 'resolveHere' },
    banner: {
      js: `import { createRequire } from 'node:module'; const resolveHere = createRequire(${JSON.stringify(manifest)}).resolve;`,
    },
  });
  return {
    folder: () => mkdtempSync(join(root, 'case-')),
    run: (args, options) => start([process.execPath, driver, ...args], options),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function start([program, ...args]: readonly string[], options: SpawnOptions = {}): Run {
  // These tests use keychains of their own, so the variable that turns keychains off is cleared.
  const env = { ...process.env, PLUGBOARD_KEYCHAIN: '' };
  const child = spawn(program!, args, { stdio: ['pipe', 'pipe', 'inherit'], env, ...options });
  const said: unknown[] = [];
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', (line) => said.push(JSON.parse(line)));
  const firstSaid = new Promise<unknown>((done) => {
    lines.once('line', (line) => done(JSON.parse(line)));
  });
  const ended = new Promise<{ signal: NodeJS.Signals | null; said: unknown[] }>((done, fail) => {
    child.once('error', fail);
    child.once('close', (_code, signal) => done({ signal, said }));
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, firstSaid, ended };
}
