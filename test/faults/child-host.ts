import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CallResult } from '../../src/host/host-options.js';
import type { ServerChange } from '../../src/host/host-events.js';
import type { Host } from '../../src/host/host.js';
import type { HostOptions, ToolRequest } from '../../src/host/host-options.js';
import type { ServerState, StatusWord } from '../../src/host/servers/server-state.js';
import { type Bundle, bundle } from '../hostile/bundle.js';
import type { Scene } from '../host/scene.js';
import type { Size } from './child-host-program.js';

/** The verbs of child-host-program.ts with their results. */
interface Answers {
  readonly call: CallResult;
  readonly servers: readonly ServerState[];
  readonly settled: null;
  readonly disable: null;
  readonly enable: null;
  readonly reconnect: ServerState | null;
  readonly cpu: { readonly cpuMs: number; readonly at: number };
  readonly size: Size;
  readonly cycles: Readonly<Record<string, number>>;
  readonly reconnects: ServerState | null;
  readonly close: null;
}

/** `seen`: the time on the host's monotonic clock. */
export type SeenChange = ServerChange & { readonly seen: number };

/** A host in a process of its own, so that a test can stop, starve and measure it. */
export interface ChildHost extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly changes: readonly SeenChange[];
  readonly stderr: () => string;
  ask<Verb extends keyof Answers>(verb: Verb, more?: object): Promise<Answers[Verb]>;
  /** Resolves when a server is in this state for the `times`-th time. */
  until(name: string, status: StatusWord, times?: number): Promise<SeenChange>;
  /** For `History`; only `call` works. */
  readonly host: Host;
}

export interface ChildHostOptions {
  readonly options?: HostOptions;
  /** A shell command that runs before the host starts: `ulimit -n 64`. */
  readonly before?: string;
  readonly flags?: readonly string[];
  /** Environment variables by which a leftover process is found. */
  readonly mark?: Readonly<Record<string, string>>;
}

/** Call before descriptors are counted: esbuild keeps some open. */
export function bundleChildHost(): Promise<Bundle> {
  return bundle(`import './child-host-program.js';`, import.meta.dirname);
}

export async function openChildHost(
  { script }: Bundle,
  { project, env }: Scene,
  { options = {}, before = ':', flags = [], mark = {} }: ChildHostOptions = {},
): Promise<ChildHost> {
  const all: HostOptions = { cwd: project, env, managedDirectories: [], watch: false, ...options };
  const argv = [process.execPath, ...flags, script, JSON.stringify(all)];
  const child = spawn('/bin/sh', ['-c', `${before}; exec "$@"`, 'sh', ...argv], {
    env: { ...env, ...mark },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString('utf8')));
  const changes: SeenChange[] = [];
  const listeners = new Set<() => void>();
  const waiting = new Map<number, (result: never) => void>();
  let orders = 0;
  const ready = new Promise<void>((resolve) => waiting.set(0, resolve));
  const exited = once(child, 'exit');
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, change } = JSON.parse(line) as { id: number; result: never; change?: SeenChange };
    if (change) {
      changes.push(change);
      for (const tell of listeners) tell();
    } else waiting.get(id)?.(result);
  });
  const ask: ChildHost['ask'] = (verb, more = {}) =>
    new Promise((resolve) => {
      waiting.set(++orders, resolve);
      child.stdin.write(`${JSON.stringify({ ...more, id: orders, verb })}\n`);
    });
  await Promise.race([ready, exited]);
  if (child.exitCode !== null) throw new Error(`the host exited with code ${child.exitCode}: ${stderr}`);
  return {
    child,
    pid: child.pid!,
    changes,
    stderr: () => stderr,
    ask,
    until: (name, status, times = 1) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = changes.filter((change) => change.name === name && change.after === status)[times - 1];
          if (!found) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
      }),
    host: { call: ({ name, input }: ToolRequest) => ask('call', { name, input }) } as Host,
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT');
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), CLOSING_MS);
      if (child.exitCode === null && child.signalCode === null) await exited;
      clearTimeout(timer);
    },
  };
}

const CLOSING_MS = 300_000; // a guard against hanging
