import type { HostError } from '../base/errors.js';
import type { Credentials, Denial, Presented, Renewal } from '../model/credentials.js';

export interface LateCredentialsOptions extends Pick<Credentials, 'hint' | 'renewsAt' | 'canSignIn'> {
  /** Whether there may be something to say: nothing is loaded to find out that there is not. */
  readonly isWorthAsking: () => boolean;
  readonly load: () => Promise<Credentials>;
}

/** Credentials whose code is loaded when they are first needed: most servers never ask who we are. */
export class LateCredentials implements Credentials {
  readonly hint: string;
  readonly renewsAt: readonly number[];
  readonly canSignIn: boolean;
  readonly #options: LateCredentialsOptions;
  #loaded: Credentials | undefined;

  constructor(options: LateCredentialsOptions) {
    this.#options = options;
    this.hint = options.hint;
    this.renewsAt = options.renewsAt;
    this.canSignIn = options.canSignIn === true;
  }

  async present(signal?: AbortSignal): Promise<Presented | undefined> {
    if (!this.#loaded && !this.#options.isWorthAsking()) return undefined;
    return (await this.#load()).present(signal);
  }

  async renew(refused: Presented | undefined, denial: Denial, signal?: AbortSignal): Promise<Renewal> {
    return (await this.#load()).renew(refused, denial, signal);
  }

  failure(): HostError | undefined {
    return this.#loaded?.failure?.();
  }

  async #load(): Promise<Credentials> {
    return (this.#loaded ??= await this.#options.load());
  }
}
