import type { HostError } from '../../base/errors.js';
import { toHostError } from '../../base/to-host-error.js';
import type { Credentials, CredentialsRefusal, RequestCredentials, Renewal } from '../../model/credentials.js';

export interface LazyCredentialsOptions extends Pick<Credentials, 'hint' | 'renewsAt' | 'canSignIn'> {
  /** Whether there may be something to say: nothing is loaded to find out that there is not. */
  readonly isWorthAsking: () => boolean;
  readonly load: () => Promise<Credentials>;
  /** They were refused, and only a person can do something about it. Contract: must not throw. */
  readonly onDenied?: ((denial: CredentialsRefusal) => void) | undefined;
}

/** Credentials whose code is loaded when they are first needed: most servers never ask who we are. */
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
    if (!this.#loaded && !this.#options.isWorthAsking()) return undefined;
    try {
      return await (await this.#load()).present(signal);
    } catch {
      return undefined; // the server refuses, and `renew` says why they could not be loaded
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
      return { kind: 'failed', error: toHostError(cause, 'What says who we are could not be loaded') };
    }
  }

  failure(): HostError | undefined {
    return this.#loaded?.failure?.();
  }

  /** Once for all who need them together: two would run a command twice. What went wrong is tried again. */
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
