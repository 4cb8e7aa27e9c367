import { HostError } from '../base/errors.js';
import { placesOf } from './directories.js';
import type { ServerProcess, StartOptions } from './process-tree.js';
import type { SandboxAbility } from './sandbox-probe.js';

/** What a server's entry asks for. */
export interface SandboxWishes {
  /** Off unless asked for. */
  readonly network?: boolean;
  /** What it may write to, relative to its working directory. */
  readonly write?: readonly string[];
  readonly memoryMb?: number;
  /** Threads count, each by itself. */
  readonly processes?: number;
}

export interface SandboxHostOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Folders that no server may see, besides Plugboard's usual ones: credentials are there. */
  readonly secret?: readonly (string | undefined)[];
}

/** A server in a sandbox. */
export interface SandboxedProcess extends ServerProcess {
  /** Once it has exited: what its sandbox had to do with it, as the end of "was ended by SIGKILL: ...". */
  verdict(): SandboxVerdict | undefined;
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
  async start(options: StartOptions, wishes: SandboxWishes): Promise<SandboxedProcess> {
    const ability = await this.ability({ network: wishes.network === true });
    if (ability.kind === 'unable') {
      const { reason, hint } = ability;
      const message = `Server "${options.name}" cannot run in a sandbox: ${reason}`;
      throw new HostError('sandbox-unavailable', message, { hint });
    }
    const { startSandboxed } = await import('./start-sandboxed.js');
    return startSandboxed(options, { wishes, ability, secret: this.secret });
  }

  async #ask(network: boolean): Promise<SandboxAbility> {
    const { env, platform } = this.#options;
    return (await import('./sandbox-probe.js')).probeSandbox({ env, platform, network });
  }
}
