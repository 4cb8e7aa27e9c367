import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { StartProcessOptions } from './process-tree.js';

export interface ApartOptions extends Pick<StartProcessOptions, 'command' | 'args' | 'cwd' | 'env' | 'handed'> {
  /** For descriptors 0, 1 and 2. */
  readonly stdio: readonly ('pipe' | 'ignore')[];
  /** Descriptors that the process must not inherit: replaced by /dev/null. */
  readonly stray: readonly number[];
}

/** Starts a process in a session and group of its own (not on Windows), with only the descriptors that it is given. */
export function spawnApart(options: ApartOptions): ChildProcess {
  const { command, args, cwd, env, stray, handed } = options;
  const nothing = stray.length > 0 ? openSync('/dev/null', 'r') : undefined;
  try {
    const stdio: ('pipe' | 'ignore' | number)[] = [...options.stdio];
    if (handed !== undefined) stdio.push('pipe');
    for (const descriptor of stray) {
      if (descriptor < stdio.length) continue; // this descriptor is replaced anyway
      while (stdio.length < descriptor) stdio.push('ignore');
      stdio.push(nothing!);
    }
    // Loaded with the first process: it takes 8 ms, and many hosts reach all their servers over the network.
    const { spawn } = process.getBuiltinModule('node:child_process');
    const detached = process.platform !== 'win32'; // on Windows it would open a window
    const child = spawn(command, args, { cwd, env, stdio, detached, shell: false, windowsHide: true });
    const pipe = handed === undefined ? undefined : (child.stdio[options.stdio.length] as Writable | null | undefined);
    pipe?.on('error', () => {}).end(handed); // the process may be gone already
    return child;
  } finally {
    if (nothing !== undefined) closeSync(nothing);
  }
}
