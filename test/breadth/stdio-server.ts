import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerConfig } from '../../src/transports/kinds.js';

/** One of the servers in stdio/, and what its processes were asked. */
export interface OddServer {
  readonly config: ServerConfig;
  /** Process by process, in the order in which they were started; its tools are left out. */
  asked(): string[][];
}

/** A folder for what servers write down. */
export interface Journals extends Disposable {
  readonly folder: string;
  open(habit: string, options?: { readonly era?: 'legacy' | 'modern' | undefined }): OddServer;
}

const program = fileURLToPath(new URL('./stdio/server.mjs', import.meta.url));

export function openJournals(): Journals {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-breadth-'));
  let count = 0;
  return {
    folder,
    open(habit, { era } = {}) {
      const journal = join(folder, `${count++}-${habit}.txt`);
      const args = [program, habit, journal];
      return {
        config: { type: 'stdio', command: process.execPath, args, env: {}, ...(era && { era }) },
        asked: () => toProcesses(existsSync(journal) ? readFileSync(journal, 'utf8') : ''),
      };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function toProcesses(journal: string): string[][] {
  const processes = new Map<string, string[]>();
  for (const [, pid = '', what = ''] of journal.matchAll(/^(\d+) (.*)$/gmu)) {
    if (what === 'start') processes.set(pid, []);
    else if (!what.startsWith('tools/')) processes.get(pid)?.push(what);
  }
  return [...processes.values()];
}
