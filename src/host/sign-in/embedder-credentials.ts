import { Secret } from '../../base/secret.js';
import { bearer } from '../../model/account.js';
import type { Credentials, CredentialsRefusal, RequestCredentials, Renewal } from '../../model/credentials.js';
import type { Ports } from '../ports.js';

export interface EmbedderCredentialsOptions {
  readonly server: string;
  readonly url: string;
  readonly token: NonNullable<Ports['token']>;
  /** The credentials where the embedder has no token. */
  readonly over: Credentials;
}

/** A token from the embedder; asked for once more, with the refused token, when the server rejects it. */
export class EmbedderCredentials implements Credentials {
  readonly renewsAt: readonly number[] = [401, 403];
  readonly hint: string;
  readonly canSignIn: boolean | undefined;
  readonly #options: EmbedderCredentialsOptions;
  /** Credentials that came from the embedder. */
  readonly #own = new WeakSet<RequestCredentials>();

  constructor(options: EmbedderCredentialsOptions) {
    this.#options = options;
    this.hint = options.over.hint;
    this.canSignIn = options.over.canSignIn;
  }

  async present(signal?: AbortSignal): Promise<RequestCredentials | undefined> {
    return (await this.#ask(undefined)) ?? this.#options.over.present(signal);
  }

  async renew(
    refused: RequestCredentials | undefined,
    denial: CredentialsRefusal,
    signal?: AbortSignal,
  ): Promise<Renewal> {
    const { over } = this.#options;
    const isOwn = refused !== undefined && this.#own.has(refused);
    const sent = isOwn ? refused.headers['authorization']?.reveal() : undefined;
    // A 403 is about what was requested: another token of the same user does not change that.
    const other = denial.status === 401 ? await this.#ask(sent?.replace(/^Bearer /u, '')) : undefined;
    if (other && other.headers['authorization']?.reveal() !== sent) return { kind: 'renewed', presented: other };
    if (isOwn) return { kind: 'sign-in', hint: 'The program that embeds Plugboard has to hand in another token' };
    return over.renew(refused, denial, signal);
  }

  async #ask(refused: string | undefined): Promise<RequestCredentials | undefined> {
    const { server, url, token } = this.#options;
    try {
      const given = await token({ server, url, ...(refused !== undefined && { refused }) });
      if (typeof given !== 'string' || given === '') return undefined;
      const credentials = bearer(new Secret(given));
      this.#own.add(credentials);
      return credentials;
    } catch {
      return undefined; // the embedder broke the contract: treated as having no token
    }
  }
}
