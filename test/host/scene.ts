import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Host } from '../../src/host/host.js';
import type { ServerChange } from '../../src/host/host-events.js';
import type { HostOptions } from '../../src/host/host-options.js';
import type { CatalogChange } from '../../src/connection/catalog/catalog.js';

export type Entries = Record<string, Record<string, unknown>>;

/** A home folder with a project in it, and hosts over the servers that are configured there. */
export interface Scene extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  /** The file in which `journal-server.mjs` records the calls it runs. */
  readonly journal: string;
  readonly env: Record<string, string>;
  /** Replaces the user's configuration. */
  configure(entries: Entries, settings?: object): void;
  /** An entry for the journal server. */
  journaling(env?: Record<string, string>, more?: Record<string, unknown>): Record<string, unknown>;
  open(options?: HostOptions): Promise<Watched>;
  /** The calls that the server has run: tool and key. */
  ran(): string[];
  /** The pids of all server processes ever started, in order. */
  starts(): number[];
}

export interface Watched {
  readonly host: Host;
  readonly changes: ServerChange[];
  readonly listed: (CatalogChange & { readonly server: string })[];
  /** Resolves with the first matching change, also when that has come already. */
  readonly until: (isIt: (change: ServerChange) => boolean) => Promise<ServerChange>;
  readonly untilListed: (isIt: (change: CatalogChange & { readonly server: string }) => boolean) => Promise<unknown>;
}

export function openScene(): Scene {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-host-')));
  const project = join(home, 'project');
  mkdirSync(project);
  const journal = join(home, 'journal.txt');
  const starts = join(home, 'starts.txt');
  writeFileSync(journal, '');
  writeFileSync(starts, '');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const config = join(home, '.config/plugboard/config.json');
  const hosts: Host[] = [];
  return {
    home,
    project,
    journal,
    env,
    configure(entries, settings) {
      mkdirSync(join(home, '.config/plugboard'), { recursive: true });
      writeFileSync(config, JSON.stringify({ mcpServers: entries, ...(settings && { settings }) }));
    },
    journaling: (more = {}, fields = {}) => ({
      command: process.execPath,
      args: [resolve(import.meta.dirname, 'journal-server.mjs')],
      env: { JOURNAL: journal, STARTS: starts, ...more },
      ...fields,
    }),
    async open(options = {}) {
      const host = await Host.open({ cwd: project, env, managedDirectories: [], permissions: ANYTHING, ...options });
      hosts.push(host);
      return watch(host);
    },
    ran: () => lines(journal).map((line) => line.split(' ').slice(0, 2).join(' ').trim()),
    starts: () => lines(starts).map(Number),
    async [Symbol.asyncDispose]() {
      await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()));
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** These tests are not about permissions. */
const ANYTHING = { mode: 'bypass' } as const;

function lines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

function watch(host: Host): Watched {
  const changes: ServerChange[] = [];
  const listed: Watched['listed'] = [];
  host.on('server', (change) => changes.push(change));
  host.on('catalog', (change) => listed.push(change));
  return {
    host,
    changes,
    listed,
    until: (isIt) =>
      new Promise((done) => {
        const known = changes.findLast(isIt);
        if (known) return done(known);
        const listener = host.on('server', (change) => {
          if (!isIt(change)) return;
          listener[Symbol.dispose]();
          done(change);
        });
      }),
    untilListed: (isIt) =>
      new Promise((done) => {
        if (listed.some(isIt)) return done(undefined);
        const listener = host.on('catalog', (change) => {
          if (!isIt(change)) return;
          listener[Symbol.dispose]();
          done(change);
        });
      }),
  };
}

/** Whether a process runs. A zombie does not count. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/su.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
