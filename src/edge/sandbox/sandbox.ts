import { HostError } from '../../base/errors.js';
import { placesOf } from '../directories.js';
import type { ServerProcess, StartProcessOptions } from '../processes/process-tree.js';
import type { SandboxAbility } from './sandbox-probe.js';
import type { SandboxedStart } from './start-sandboxed.js';

/** The sandbox settings of a server's entry. */
export interface SandboxSettings {
  /** Off by default. */
  readonly network?: boolean;
  /** Visible although a sandbox hides it: key places, and paths in /tmp and /run. Relative paths as in `write`. */
  readonly read?: readonly string[];
  /** Writable paths, relative to the working directory. `~` is the home folder. */
  readonly write?: readonly string[];
  /** Folders to which a policy restricts `write`. */
  readonly writeWithin?: readonly string[];
  /** Allows Unix sockets. Off by default: with them the server could reach programs that begin to listen later. */
  readonly sockets?: boolean;
  readonly memoryMb?: number;
  /** Every thread counts. */
  readonly processes?: number;
}

export interface SandboxHostOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Folders with credentials that no server may see, besides Plugboard's usual ones. */
  readonly secret?: readonly (string | undefined)[];
  /** The PATH to find bubblewrap, if not that of `env`. */
  readonly programPath?: (() => string | undefined) | undefined;
}

export interface SandboxedProcess extends ServerProcess {
  /** After the exit: how the sandbox caused it, as the end of "was ended by SIGKILL: ...". */
  verdict(): SandboxVerdict | undefined;
}

export type SandboxCommandOptions = Pick<StartProcessOptions, 'name' | 'command' | 'args' | 'cwd' | 'ownsCwd' | 'env'>;

/** The command that runs a program in a sandbox. */
export interface SandboxedWords {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Content of descriptor 3. */
  readonly handed: Buffer | undefined;
}

export interface SandboxVerdict {
  readonly reason: string;
  readonly hint: string;
}

/** Starts one host's servers in sandboxes, and caches that it can. Never starts a server without its sandbox. */
export class SandboxHost {
  readonly #options: SandboxHostOptions;
  /** By `network`. */
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
    // What is missing may be installed before the next attempt.
    if (ability.kind === 'unable') this.#abilities.delete(network);
    return ability;
  }

  /** Like `startProcess`, in a sandbox. Rejects with `sandbox-unavailable` or `start-failed`. */
  async start(options: StartProcessOptions, settings: SandboxSettings): Promise<SandboxedProcess> {
    const start = await this.#prepare(options.name, settings);
    const { startSandboxed } = await import('./start-sandboxed.js');
    return startSandboxed(options, start);
  }

  /** Returns what to start to run a short command in a sandbox. Rejects like `start`. */
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
