import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../src/base/secret.js';
import type { Connection } from '../../src/connection/connect.js';
import { ConnectionFactory } from '../../src/connection/connection-factory.js';
import { openWorkshop } from '../../src/edge/processes/process-fixtures.js';
import type { CommonConfig } from '../../src/transports/kind.js';
import type { PipeWarning } from '../../src/wire/pipe.js';
import { type PipeEvent, recordingPipe } from '../../src/wire/recording-pipe.js';
import { type InstalledProgram, programOf } from './installed-server.js';

/** A host for one server of test/servers, with its own folder and home and without a network. */
export interface InstalledHost extends AsyncDisposable {
  readonly folder: string;
  /** The messages between host and server, with their times. */
  readonly events: readonly (PipeEvent & { readonly at: number })[];
  readonly notes: readonly PipeWarning[];
  connect(options?: { readonly timeoutMs?: number; readonly era?: CommonConfig['era'] }): Promise<Connection>;
  /** Closes everything and returns the pids of the processes that are left. */
  close(): Promise<number[]>;
}

export function openInstalledHost(program: InstalledProgram): InstalledHost {
  const workshop = openWorkshop();
  const { folder } = workshop;
  const home = join(folder, 'home');
  mkdirSync(home);
  for (const [name, content] of Object.entries(program.files ?? {})) writeFileSync(join(folder, name), content);
  const events: (PipeEvent & { at: number })[] = [];
  const notes: PipeWarning[] = [];
  const recorder = { isOver: false, record: (event: PipeEvent) => events.push({ ...event, at: performance.now() }) };
  const connectionFactory = new ConnectionFactory({
    env: { PATH: process.env['PATH'], HOME: home },
    platform: process.platform,
    cwd: folder,
    state: join(folder, 'state'),
    tap: (_, pipe) => recordingPipe(pipe, { recorder }),
  });
  const inFolder = (text: string): string => text.replace('{folder}', folder);
  const args = [programOf(program), ...(program.args ?? []).map(inFolder)];
  const variables = { ...workshop.env, NODE_OPTIONS: `--require "${OFFLINE}"`, ...program.env };
  const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, new Secret(inFolder(value))]));
  return {
    folder,
    events,
    notes,
    connect: ({ timeoutMs = START_LIMIT, era = 'auto' } = {}) =>
      connectionFactory.connect(
        { name: program.packageName, config: { type: 'stdio', command: process.execPath, args, env, era } },
        { timeoutMs, onWarning: (note) => notes.push(note) },
      ),
    async close() {
      await connectionFactory[Symbol.asyncDispose]();
      return workshop.survivors();
    },
    async [Symbol.asyncDispose]() {
      await connectionFactory[Symbol.asyncDispose]();
      workshop[Symbol.dispose]();
    },
  };
}

const START_LIMIT = 90_000; // the servers take up to 9 s on a busy machine, and this one may be busier
const OFFLINE = new URL('offline.cjs', import.meta.url).pathname;
