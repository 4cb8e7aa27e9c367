// Fails a test file that leaves a host, or a registry of processes, open: its reaper would stay until the worker ends.
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, expect } from 'vitest';

/** Weak: nothing that has ended is kept, because some tests count objects. Node itself keeps a process that runs. */
const started: { readonly child: WeakRef<ChildProcess>; readonly during: string }[] = [];

const onStart = (message: unknown): void => {
  const { process: child } = message as { readonly process: ChildProcess };
  started.push({
    child: new WeakRef(child),
    during: expect.getState().currentTestName ?? 'the file, outside its tests',
  });
};

subscribe('child_process', onStart);

// The first hook of the file, so that it runs after all others.
afterAll(() => {
  unsubscribe('child_process', onStart);
  const open = started.filter(({ child }) => isOpenReaper(child.deref())).map(({ during }) => during);
  if (open.length === 0) return;
  throw new Error(`Close every host and process registry (await using). Left open by:\n${open.join('\n')}`);
});

/** A closed host has ended the pipe to its reaper, which then exits by itself. */
function isOpenReaper(child: ChildProcess | undefined): boolean {
  if (!child?.spawnargs?.includes('plugboard-reaper')) return false;
  return child.exitCode === null && child.signalCode === null && child.stdin?.writableEnded !== true;
}
