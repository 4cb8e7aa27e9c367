import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { systemClock } from '../clock.js';
import { ProcessRegistry } from './process-registry.js';
import { type ServerProcess, type StartProcessOptions, startProcess } from './process-tree.js';

/** For tests: a folder of small servers whose processes can all be found again by a mark. */
export interface Workshop extends Disposable {
  readonly folder: string;
  readonly registry: ProcessRegistry;
  readonly env: Record<string, string>;
  /** Writes a program; returns its path. */
  script(source: string, name?: string): string;
  /** Starts a program with this source. */
  serve(source: string, options?: Partial<StartProcessOptions>): Promise<ServerProcess>;
  start(options: Partial<StartProcessOptions>): Promise<ServerProcess>;
  /** Bundles our modules into one file for plain Node; `source` imports them by `./name.js`. */
  bundle(source: string): Promise<string>;
  /** Pids of every process with the mark, zombies excluded. */
  survivors(): number[];
}

export function openWorkshop(): Workshop {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-process-')));
  const mark = randomUUID();
  const env = { PATH: process.env['PATH'] ?? '', PLUGBOARD_TEST_MARK: mark };
  const registry = new ProcessRegistry();
  let count = 0;
  const script = (source: string, name = `program-${count++}.mjs`): string => {
    const file = join(folder, name);
    writeFileSync(file, source, { mode: 0o700 });
    return file;
  };
  const standard = { name: 'db', command: process.execPath, args: [], cwd: folder, env, clock: systemClock, registry };
  const start = (options: Partial<StartProcessOptions>): Promise<ServerProcess> =>
    startProcess({ ...standard, ...options });
  const survivors = (): number[] => listMarked(mark);
  return {
    folder,
    registry,
    env,
    script,
    start,
    serve: (source, options) => start({ args: [script(source)], ...options }),
    async bundle(source) {
      const outfile = join(folder, `bundle-${count++}.mjs`);
      const stdin = { contents: source, resolveDir: import.meta.dirname, loader: 'ts' as const };
      await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20' });
      return outfile;
    },
    survivors,
    [Symbol.dispose]() {
      void registry[Symbol.asyncDispose](); // never rejects; what it should have ended is killed below all the same
      for (const pid of survivors()) killQuietly(pid);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Pids of the reapers of the host with this pid. */
export function reapersOf(host: number): number[] {
  return listProcesses((pid) => read(pid, 'cmdline').includes(`\0plugboard-reaper\0${host}-`));
}

export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The first line, or all of the output when it ends without one. Leaves the stream open. */
export function firstLine(stream: Readable): Promise<string> {
  return new Promise((done) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (text.includes('\n')) done(text.slice(0, text.indexOf('\n')));
    });
    stream.once('end', () => done(text));
  });
}

// The environment of a dead process is empty.
const listMarked = (mark: string): number[] => listProcesses((pid) => read(pid, 'environ').includes(mark));

function listProcesses(isWanted: (pid: string) => boolean): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid && isWanted(entry))
    .map(Number);
}

function read(pid: string, file: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return ''; // exited meanwhile
  }
}

export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // exited meanwhile
  }
}
