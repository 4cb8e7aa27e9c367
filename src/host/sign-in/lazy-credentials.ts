import type { HostError } from '../../base/errors.js';
import { toHostError } from '../../base/to-host-error.js';
import type { Credentials, CredentialsRefusal, RequestCredentials, Renewal } from '../../model/credentials.js';

export interface LazyCredentialsOptions extends Pick<Credentials, 'hint' | 'renewsAt' | 'canSignIn'> {
  /** Whether there may be credentials; if not, their code is not loaded. */
  readonly mayHaveCredentials: () => boolean;
  readonly load: () => Promise<Credentials>;
  /** Called when credentials were refused and only a person can help. Contract: must not throw. */
  readonly onDenied?: ((denial: CredentialsRefusal) => void) | undefined;
}

/** Credentials whose code is loaded on first use: most servers need none. */
export class LazyCredentials implements Credentials {
  readonly hint: string;
  readonly renewsAt: readonly number[];
  readonly canSignIn?: boolean;
  readonly #options: LazyCredentialsOptions;
  #loading: Promise<Credentials> | undefined;
  #loaded: Credentials | undefined;

  constructor(options: LazyCredentialsOptions) {
    this.#options = options;
    this.hint = options.hint;
    this.renewsAt = options.renewsAt;
    if (options.canSignIn !== undefined) this.canSignIn = options.canSignIn;
  }

  async present(signal?: AbortSignal): Promise<RequestCredentials | undefined> {
    if (!this.#loaded && !this.#options.mayHaveCredentials()) return undefined;
    try {
      return await (await this.#load()).present(signal);
    } catch {
      return undefined; // the server refuses the request, and `renew` reports why loading failed
    }
  }

  async renew(
    refused: RequestCredentials | undefined,
    denial: CredentialsRefusal,
    signal?: AbortSignal,
  ): Promise<Renewal> {
    try {
      const renewal = await (await this.#load()).renew(refused, denial, signal);
      if (renewal.kind === 'sign-in') this.#options.onDenied?.(denial);
      return renewal;
    } catch (cause) {
      return { kind: 'failed', error: toHostError(cause, 'The credentials could not be loaded') };
    }
  }

  failure(): HostError | undefined {
    return this.#loaded?.failure?.();
  }

  /** Loads once for concurrent callers, because two loads would run a command twice. A failed load is tried again. */
  #load(): Promise<Credentials> {
    return (this.#loading ??= this.#options.load().then(
      (loaded) => (this.#loaded = loaded),
      (cause: unknown) => {
        this.#loading = undefined;
        throw cause;
      },
    ));
  }
}
