import { join } from 'node:path';
import type { Invocation } from '../input/arguments.js';
import type { Io } from '../io.js';

/** The demo's servers and its own temporary folders: see demo/open-demo.mjs, which is part of the package. */
export interface DemoServers {
  /** The folder with the demo's .mcp.json. */
  readonly folder: string;
  /** Variables that keep settings, state and cache of the demo away from the user's. */
  readonly env: Readonly<Record<string, string>>;
  readonly embedded: NonNullable<Io['embedded']>;
  /** Ends the servers of this process and removes the temporary folders. */
  close(): void;
}

/** The run, with these folders in place of the user's. */
export function inDemoFolders(io: Io, { env, embedded }: DemoServers): Io {
  // Not a copy, which would evaluate every getter.
  return Object.create(io, { env: { value: { ...io.env, ...env } }, embedded: { value: embedded } }) as Io;
}

/** The command line, with the demo's servers and no others. */
export function withDemoFlags(invocation: Invocation, { folder }: DemoServers): Invocation {
  const fixed: ReadonlyMap<string, readonly string[]> = new Map([
    ['cwd', [folder]],
    ['mcp-config', [join(folder, '.mcp.json')]],
    ['mcp-server', []],
    ['strict-mcp-config', ['']],
    ['trust-folder', ['']], // the package's own folder
    ['permission-mode', ['auto-read']], // so that the first step shows a read, and not a question
  ]);
  const values = (option: string): readonly string[] => fixed.get(option) ?? invocation.values(option);
  return {
    ...invocation,
    has: (option) => (fixed.get(option)?.length ?? 0) > 0 || invocation.has(option),
    value: (option) => values(option).at(-1),
    values,
  };
}
