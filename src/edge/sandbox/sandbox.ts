import { HostError } from '../../base/errors.js';
import { placesOf } from '../directories.js';
import type { ServerProcess, StartProcessOptions } from '../processes/process-tree.js';
import type { SandboxAbility } from './sandbox-probe.js';
import type { SandboxedStart } from './start-sandboxed.js';

/** What a server's entry asks for. */
export interface SandboxSettings {
  /** Off unless asked for. */
  readonly network?: boolean;
  /** What it sees although a sandbox hides it: places of keys, and what lies in /tmp and /run. As `write`. */
  readonly read?: readonly string[];
  /** What it may write to, relative to its working directory. `~` is the home folder. */
  readonly write?: readonly string[];
  /** Where a policy lets it write to, if not everywhere. */
  readonly writeWithin?: readonly string[];
  /** Whether it may make Unix sockets. Off unless asked for: programs of this machine that listen at one later would be in its reach. */
  readonly sockets?: boolean;
  readonly memoryMb?: number;
  /** Threads count, each by itself. */
  readonly processes?: number;
}

export interface SandboxHostOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Folders that no server may see, besides Plugboard's usual ones: credentials are there. */
  readonly secret?: readonly (string | undefined)[];
  /** The PATH by which bubblewrap is found, where it is not that of `env`. */
  readonly programPath?: (() => string | undefined) | undefined;
}

/** A server in a sandbox. */
export interface SandboxedProcess extends ServerProcess {
  /** Once it has exited: what its sandbox had to do with it, as the end of "was ended by SIGKILL: ...". */
  verdict(): SandboxVerdict | undefined;
}

export type SandboxCommandOptions = Pick<StartProcessOptions, 'name' | 'command' | 'args' | 'cwd' | 'ownsCwd' | 'env'>;

/** What to start in place of a program so that it runs in a sandbox. */
export interface SandboxedWords {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Bytes that it reads from descriptor 3. */
  readonly handed: Buffer | undefined;
}

export interface SandboxVerdict {
  readonly reason: string;
  readonly hint: string;
}

/** Puts the servers of one host into sandboxes, and remembers that it can. Without one a server is not started at all. */
export class SandboxHost {
  readonly #options: SandboxHostOptions;
  /** By whether there is to be a network. */
  readonly #abilities = new Map<boolean, Promise<SandboxAbility>>();

  constructor(options: SandboxHostOptions) {
    this.#options = options;
  }

  /** Folders that no server sees. */
  get secret(): readonly string[] {
    const { env, platform, secret = [] } = this.#options;
    const { config, state, cache } = placesOf({ env, platform });
    return [...new Set([config, state, cache, ...secret])].filter((folder) => folder !== undefined);
  }

  /** Never rejects. */
  async ability({ network }: { readonly network: boolean }): Promise<SandboxAbility> {
    const known = this.#abilities.get(network);
    if (known) return known;
    const asking = this.#ask(network);
    this.#abilities.set(network, asking);
    const ability = await asking;
    // What was missing may have been installed when somebody tries again.
    if (ability.kind === 'unable') this.#abilities.delete(network);
    return ability;
  }

  /** As `startProcess`, in a sandbox. Rejects with `sandbox-unavailable` or `start-failed`. */
  async start(options: StartProcessOptions, settings: SandboxSettings): Promise<SandboxedProcess> {
    const start = await this.#prepare(options.name, settings);
    const { startSandboxed } = await import('./start-sandboxed.js');
    return startSandboxed(options, start);
  }

  /** The same for a command that is over soon: what to start for it. Rejects alike. */
  async wrap(options: SandboxCommandOptions, settings: SandboxSettings): Promise<SandboxedWords> {
    const start = await this.#prepare(options.name, settings);
    const { enterSandbox } = await import('./start-sandboxed.js');
    return enterSandbox(options, start);
  }

  async #prepare(name: string, settings: SandboxSettings): Promise<SandboxedStart> {
    const ability = await this.ability({ network: settings.network === true });
    if (ability.kind === 'able') return { settings, ability, secret: this.secret, hostEnv: this.#options.env };
    const { reason, hint } = ability;
    throw new HostError('sandbox-unavailable', `Server "${name}" cannot run in a sandbox: ${reason}`, { hint });
  }

  async #ask(network: boolean): Promise<SandboxAbility> {
    const { env, platform, programPath } = this.#options;
    const found = programPath ? { ...env, PATH: programPath() } : env;
    return (await import('./sandbox-probe.js')).probeSandbox({ env: found, platform, network });
  }
}
