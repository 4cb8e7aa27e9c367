import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerConfig } from '../../src/transports/kinds.js';

/** A running server of stdio/. */
export interface OddServer {
  readonly config: ServerConfig;
  /** The methods that each process received, in the order of their starts, without those for tools. */
  asked(): string[][];
}

/** A folder with the journals of servers. */
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
