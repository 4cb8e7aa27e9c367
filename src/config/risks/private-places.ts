import { basename, join } from 'node:path';
import { digest } from '../../edge/files/digest.js';
import { environmentOutside } from '../../edge/files/folder-reach.js';
import type { PrivatePlace } from '../../edge/files/private-place.js';
import type { ConfigContext } from '../context.js';
import { showPath } from '../../model/show.js';
import { trustCommand } from '../../model/text/untrusted-text.js';
import { type FolderTrust, reachOf } from '../approval/folder-trust.js';
import type { HostConfig } from '../load.js';
import type { ConfiguredServer } from '../entries/server.js';

/** The private folders for one untrusted working directory: one per server, and one for hooks. */
export class PrivatePlaces {
  readonly #context: ConfigContext;
  readonly #trust: FolderTrust;
  #env: PrivatePlace['env'] | undefined;

  constructor(context: ConfigContext, trust: FolderTrust) {
    this.#context = context;
    this.#trust = trust;
  }

  ofServer(name: string): PrivatePlace {
    return this.#place(slug(name));
  }

  ofHooks(): PrivatePlace {
    return this.#place('hooks');
  }

  #place(name: string): PrivatePlace {
    const { state } = this.#context.places;
    // Separate for each project, so that files left by one are not found in another.
    const folder = state === undefined ? undefined : join(state, 'folders', slug(this.#trust.folder), name, 'work');
    const env = (): PrivatePlace['env'] => this.env;
    return {
      folder,
      get env() {
        return env();
      },
    };
  }

  /** The host's environment without paths into the working directory. */
  get env(): PrivatePlace['env'] {
    return (this.#env ??= environmentOutside(this.#context.env, reachOf(this.#context, this.#trust)));
  }
}

/** The environment for finding our own programs (bubblewrap, browser): without the PATH of an untrusted folder. */
export function programEnvironment({ context, trust }: Loaded): PrivatePlace['env'] {
  return trust.kind === 'trusted' ? context.env : new PrivatePlaces(context, trust).env;
}

/** The private folder of a server; undefined when it starts where its entry says, or starts nothing. */
export function startFolderOf(
  { name, startsInPrivateFolder, standing }: ConfiguredServer,
  loaded: Loaded,
): string | undefined {
  if (startsInPrivateFolder !== true || standing.kind !== 'ready') return undefined;
  return new PrivatePlaces(loaded.context, loaded.trust).ofServer(name).folder;
}

/** A note when servers start in private folders without a decision about trust; undefined when none does. */
export function privateStartText({ servers, trust }: Loaded & Pick<HostConfig, 'servers'>): string | undefined {
  const names = servers
    .filter(({ startsInPrivateFolder, standing }) => startsInPrivateFolder === true && standing.kind === 'ready')
    .map(({ name }) => name);
  if (trust.kind !== 'undecided' || names.length === 0) return undefined;
  const who =
    names.length === 1
      ? `"${names[0]}" starts in a private folder`
      : `${names.length} servers start in private folders`;
  return `${who}: ${showPath(trust.folder)} is not trusted. To start ${names.length === 1 ? 'it' : 'them'} here: ${trustCommand(trust.folder)}`;
}

type Loaded = Pick<HostConfig, 'context' | 'trust'>;

/** A folder name: a readable part, and a hash that makes it unique. */
function slug(name: string): string {
  const word = basename(name)
    .replaceAll(/[^\w.-]+/gu, '_')
    .replace(/^\.+/u, '')
    .slice(0, 40);
  return `${word}-${digest(name).slice(0, 12)}`;
}
