import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { unreachable } from '../../src/base/never.js';
import { openWorkshop } from '../../src/edge/process-fixtures.js';
import type { JsonObject } from '../../src/wire/message.js';
import type { OwnConnection, ServerName, Transport } from './behaviour.js';
import {
  type Address,
  type CallOptions,
  type ContractClient,
  type ContractClientKind,
  type Failure,
  isFailure,
  type Outcome,
} from './clients/contract-client.js';
import { type HttpStyle, serveFixture, type ServedOverHttp } from './servers/fixture-http.js';
import { embedFixture } from './servers/fixture-in-process.js';
import { NoteList } from './note-list.js';
import { serveOldSdk, serveSdk } from './servers/sdk-http.js';
import { embedOldSdk, embedSdk } from './servers/sdk-in-process.js';

/** A client connected to a server of the suite, and what is to be seen from outside. */
export interface Stage {
  readonly opened: ContractClient | Failure;
  /** The client; throws when there is none. */
  client(): ContractClient;
  /** Calls a tool, for as long as this stage has patience. */
  call(name: string, input?: JsonObject, options?: CallOptions): Promise<Outcome>;
  /** What the server has sent by itself so far. */
  readonly notes: NoteList['all'];
  /** All notes once there are so many; what there is when patience ends. */
  noted(count: number): Promise<NoteList['all']>;
  /** Only over HTTP. */
  readonly http: ServedOverHttp | undefined;
  /** Processes of servers that still run; only over stdio are there any. */
  survivors(): number[];
}

export interface Theatre extends AsyncDisposable {
  /** The connection that most behaviours share, one after the other. */
  shared(patience: Patience): Promise<Stage>;
  /** One that nobody else uses; ended with everything of it. */
  open(own: OwnConnection, patience: Patience): Promise<Stage & AsyncDisposable>;
}

/** How long one waits for a server. */
export interface Patience {
  readonly connectMs: number;
  readonly callMs: number;
}

/** Where one kind of client meets one kind of server over one transport. */
export function openTheatre(kind: ContractClientKind, server: ServerName, transport: Transport): Theatre {
  const workshop = openWorkshop();
  let building: Promise<string> | undefined;
  const program = (): Promise<string> => (building ??= bundle(server, workshop.folder));
  const open = (own: OwnConnection, { connectMs }: Patience): Promise<Scene> =>
    openScene({ kind, server, transport, program, own, connectMs });
  let sharing: Promise<Scene> | undefined;
  return {
    shared: async (patience) => toStage(await (sharing ??= open({}, patience)), patience),
    async open(own, patience) {
      const scene = await open(own, patience);
      return Object.assign(toStage(scene, patience), { [Symbol.asyncDispose]: scene[Symbol.asyncDispose] });
    },
    async [Symbol.asyncDispose]() {
      await (await sharing)?.[Symbol.asyncDispose]();
      workshop[Symbol.dispose]();
    },
  };
}

interface Scene extends Pick<Stage, 'opened' | 'http' | 'survivors'>, AsyncDisposable {
  readonly notes: NoteList;
}

interface SceneOptions {
  readonly kind: ContractClientKind;
  readonly server: ServerName;
  readonly transport: Transport;
  /** The server as a file that node can run. */
  readonly program: () => Promise<string>;
  readonly own: OwnConnection;
  readonly connectMs: number;
}

async function openScene(options: SceneOptions): Promise<Scene> {
  const { kind, own, connectMs } = options;
  const workshop = openWorkshop();
  const { address, http } = await startServer(options, workshop.env);
  const notes = new NoteList();
  const opened = await kind.connect(address, {
    timeoutMs: connectMs,
    onNotification: (method, params) => notes.add({ method, params }),
    ...own.client,
  });
  return {
    opened,
    notes,
    http,
    survivors: () => workshop.survivors(),
    async [Symbol.asyncDispose]() {
      if (!isFailure(opened)) await opened.close();
      await http?.[Symbol.asyncDispose]();
      workshop[Symbol.dispose]();
    },
  };
}

function toStage({ opened, notes, http, survivors }: Scene, { callMs: timeoutMs }: Patience): Stage {
  const client = (): ContractClient => {
    if (isFailure(opened)) throw new Error(`Connecting failed: ${opened.error}`);
    return opened;
  };
  const call: Stage['call'] = (name, input, options) => client().call(name, input, { timeoutMs, ...options });
  return { opened, client, call, notes: notes.all, noted: (count) => notes.until(count, timeoutMs), http, survivors };
}

const embed = { fixture: embedFixture, sdk: embedSdk, 'old-sdk': embedOldSdk };
const serve = { fixture: serveFixture, sdk: serveSdk, 'old-sdk': serveOldSdk };

async function startServer(
  { server, transport, program, own: { server: options = {} } }: SceneOptions,
  env: Readonly<Record<string, string>>,
): Promise<{ address: Address; http: ServedOverHttp | undefined }> {
  switch (transport) {
    case 'in-process':
      return { address: { kind: 'in-process', server: embed[server](options) }, http: undefined };
    case 'stdio': {
      const told = { ...env, CONTRACT_OPTIONS: JSON.stringify(options) };
      return { address: { kind: 'stdio', file: await program(), env: told }, http: undefined };
    }
    case 'http':
    case 'http-json': {
      const style: HttpStyle = { answers: transport === 'http' ? 'events' : 'json' };
      const http = await serve[server](options, style);
      return { address: { kind: 'http', url: http.url }, http };
    }
    default:
      return unreachable(transport);
  }
}

const programs = {
  fixture: new URL('./servers/fixture-stdio.ts', import.meta.url),
  sdk: new URL('./servers/sdk-stdio.ts', import.meta.url),
  'old-sdk': new URL('./servers/old-sdk-stdio.ts', import.meta.url),
};

/** One file that plain node starts quickly. */
async function bundle(server: ServerName, folder: string): Promise<string> {
  const outfile = join(folder, `${server}.mjs`);
  await build({
    entryPoints: [fileURLToPath(programs[server])],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Some of the SDK's dependencies are CommonJS.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}
