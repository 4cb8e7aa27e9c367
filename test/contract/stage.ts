import type { JsonObject } from '../../src/base/json.js';
import { openWorkshop } from '../../src/edge/processes/process-fixtures.js';
import type { ProcessRegistry } from '../../src/edge/processes/process-registry.js';
import type { OwnConnection, Place } from './behaviour.js';
import { bundleServer } from './bundle-server.js';
import {
  type CallOptions,
  type ContractClient,
  type ContractClientKind,
  type Failure,
  isFailure,
  type Outcome,
} from './clients/contract-client.js';
import { NoteList } from './note-list.js';
import type { ServedOverHttp } from './servers/fixture-http.js';
import { startServer } from './start-server.js';

/** A client connected to a server of the suite, and what a behaviour can observe. */
export interface Stage {
  readonly opened: ContractClient | Failure;
  /** Throws when connecting failed. */
  client(): ContractClient;
  /** Calls a tool within the stage's timeout. */
  call(name: string, input?: JsonObject, options?: CallOptions): Promise<Outcome>;
  /** The notifications that the server has sent so far. */
  readonly notes: NoteList['all'];
  /** Resolves with all notifications when there are this many, or when the timeout ends. */
  noted(count: number): Promise<NoteList['all']>;
  /** Defined only over HTTP. */
  readonly http: ServedOverHttp | undefined;
  /** Pids of server processes that still run; always empty but over stdio. */
  survivors(): number[];
}

export interface Theatre extends AsyncDisposable {
  /** The connection that most behaviours share, one after the other. */
  shared(timeout: Timeout): Promise<Stage>;
  /** A connection for one behaviour; disposing of it ends its server too. */
  open(own: OwnConnection, timeout: Timeout): Promise<Stage & AsyncDisposable>;
}

export interface Timeout {
  readonly connectMs: number;
  readonly callMs: number;
}

/** Opens connections between one kind of client and one kind of server, over one transport and in one era. */
export function openTheatre(kind: ContractClientKind, place: Place): Theatre {
  const workshop = openWorkshop();
  let building: Promise<string> | undefined;
  const program = (): Promise<string> => (building ??= bundleServer(place.server, workshop.folder));
  const open = (own: OwnConnection, { connectMs }: Timeout): Promise<Scene> =>
    openScene({ kind, place, program, own, connectMs, processes: workshop.registry });
  let sharing: Promise<Scene> | undefined;
  return {
    shared: async (timeout) => toStage(await (sharing ??= open({}, timeout)), timeout),
    async open(own, timeout) {
      const scene = await open(own, timeout);
      return Object.assign(toStage(scene, timeout), { [Symbol.asyncDispose]: scene[Symbol.asyncDispose] });
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
  readonly place: Place;
  /** The server as a file for node. */
  readonly program: () => Promise<string>;
  readonly own: OwnConnection;
  readonly connectMs: number;
  readonly processes: ProcessRegistry;
}

async function openScene({ kind, place, program, own, connectMs, processes }: SceneOptions): Promise<Scene> {
  const { era, transport } = place;
  // A workshop is costly: it makes a folder, and inspects every process when it ends. Only stdio starts processes.
  const workshop = transport === 'stdio' ? openWorkshop() : undefined;
  const options = { speaks: era, ...own.server };
  const { address, http, served } = await startServer({ place, options, program, env: workshop?.env ?? {} });
  const notes = new NoteList();
  const opened = await kind.connect(address, {
    timeoutMs: connectMs,
    era: kind.eraFor(era, transport),
    onNotification: (method, params) => notes.add({ method, params }),
    processes,
    ...own.client,
  });
  return {
    opened,
    notes,
    http,
    survivors: () => workshop?.survivors() ?? [],
    async [Symbol.asyncDispose]() {
      if (!isFailure(opened)) await opened.close();
      await served?.[Symbol.asyncDispose]();
      workshop?.[Symbol.dispose]();
    },
  };
}

function toStage({ opened, notes, http, survivors }: Scene, { callMs: timeoutMs }: Timeout): Stage {
  const client = (): ContractClient => {
    if (isFailure(opened)) throw new Error(`Connecting failed: ${opened.error}`);
    return opened;
  };
  const call: Stage['call'] = (name, input, options) => client().call(name, input, { timeoutMs, ...options });
  return { opened, client, call, notes: notes.all, noted: (count) => notes.until(count, timeoutMs), http, survivors };
}
