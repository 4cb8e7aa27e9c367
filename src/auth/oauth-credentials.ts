// https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
import { HostError } from '../base/errors.js';
import { within } from '../base/within.js';
import { parseChallenge } from '../model/challenge.js';
import {
  type Credentials,
  type CredentialsRefusal,
  isSameCredentials,
  type RequestCredentials,
  type Renewal,
} from '../model/credentials.js';
import { gateLine } from '../model/text/text-gate.js';
import type { SignInServices } from './sign-in-services.js';
import { mayUse, signInNotShared } from './guest.js';
import { loginHint, scopeUnion } from './flows/login-hint.js';
import { headerOf, isSignedIn, type SignedIn } from './tokens/token-headers.js';
import { freshnessOf } from './tokens/token-freshness.js';
import { toSignInError } from './sign-in-error.js';
import type { SignInTarget } from './sign-in-target.js';
import type { ObtainTokensOptions, ObtainOutcome, SilentGrant, TokenRefresher } from './tokens/token-refresher.js';

export interface OAuthCredentialsOptions extends Pick<SignInServices, 'clock' | 'wall'> {
  readonly target: SignInTarget;
  readonly refresher: TokenRefresher;
  /** Gets tokens without a user, where the entry allows that. */
  readonly grant?: SilentGrant | undefined;
}

export class OAuthCredentials implements Credentials {
  readonly renewsAt: readonly number[] = [401, 403];
  /** False for a grant of the client alone: there is no user to sign in. */
  readonly canSignIn: boolean;
  readonly hint: string;
  readonly #options: OAuthCredentialsOptions;
  readonly #target: SignInTarget;
  readonly #refresher: TokenRefresher;
  readonly #grant: SilentGrant | undefined;

  constructor(options: OAuthCredentialsOptions) {
    const { target, refresher, grant } = options;
    this.#options = options;
    this.#target = target;
    this.#refresher = refresher;
    this.#grant = grant;
    this.canSignIn = !grant || target.settings.xaa === true;
    this.hint = loginHint(target.name);
  }

  async present(signal?: AbortSignal): Promise<RequestCredentials | undefined> {
    try {
      const record = await within(this.#refresher.current(), { signal, instead: () => undefined });
      if (!isSignedIn(record)) {
        if (!this.#grant) return undefined;
        return this.#credentialsOf(await this.#obtain({}, signal));
      }
      if (!mayUse(this.#target, record)) return undefined;
      const isRenewable = this.#grant !== undefined || record.tokens.refreshToken !== undefined;
      const freshness = freshnessOf(record.tokens, this.#options.wall());
      if (freshness === 'fresh' || !isRenewable) return this.#present(record);
      const old = (): ObtainOutcome => ({ kind: 'tokens', record });
      const work = this.#obtain({}, signal);
      // A token that is still valid does not wait for a slow authorization server; the refresh goes on.
      const { clock } = this.#options;
      const obtained = await (freshness === 'due'
        ? within(work, { deadline: (expire) => clock.after(TIMEOUT_MS, expire), instead: old })
        : work);
      // After a failed refresh the old token is sent, because the server may still accept it.
      return this.#credentialsOf(obtained.kind === 'failed' ? old() : obtained);
    } catch {
      return undefined; // the store cannot be read: the server refuses, and `renew` says why
    }
  }

  async renew(
    refused: RequestCredentials | undefined,
    denial: CredentialsRefusal,
    signal?: AbortSignal,
  ): Promise<Renewal> {
    const renewal = await this.#renew(refused, denial, signal);
    if (renewal.kind === 'sign-in') this.#refresher.isDenied = true;
    return renewal;
  }

  async #renew(
    refused: RequestCredentials | undefined,
    denial: CredentialsRefusal,
    signal: AbortSignal | undefined,
  ): Promise<Renewal> {
    try {
      const challenge = parseChallenge(denial.challenge);
      this.#refresher.onChallenge(challenge, { isSilent: this.#grant !== undefined });
      // Tokens that this entry may not use are not renewed for it either.
      const known = this.#target.guest && (await this.#refresher.current());
      if (isSignedIn(known) && !mayUse(this.#target, known)) return signInNotShared(this.#target);
      const sent = refused?.headers['authorization']?.reveal();
      if (denial.status === 403) return await this.#stepUp(sent, challenge, signal);
      if (challenge.error === 'use_dpop_nonce' && denial.nonce !== undefined) {
        this.#refresher.presenter.useNonce(denial.nonce);
        const record = await this.#refresher.current();
        const credentials = isSignedIn(record) && mayUse(this.#target, record) ? this.#present(record) : undefined;
        // Credentials that were refused although they had this nonce are refused for another reason.
        if (credentials && !isSameCredentials(credentials, refused)) return { kind: 'renewed', presented: credentials };
      }
      return this.#toRenewal(await this.#obtain({ refused: sent }, signal));
    } catch (error) {
      return { kind: 'failed', error: toSignInError(error, this.#target.name) };
    }
  }

  /** A refresh cannot add scopes: unless another sign-in has added them by now, the user has to consent. */
  async #stepUp(
    sent: string | undefined,
    challenge: ReturnType<typeof parseChallenge>,
    signal: AbortSignal | undefined,
  ): Promise<Renewal> {
    const record = await within(this.#refresher.stored(), { signal, instead: () => undefined });
    if (isSignedIn(record) && headerOf(record.tokens) !== sent) return this.#renewed(record);
    const { name } = this.#target;
    if (challenge.error !== 'insufficient_scope') {
      const hint = `The server refuses this account. Sign in with another: ${loginHint(name)}`;
      return { kind: 'sign-in', hint };
    }
    const before = record?.scopes ?? [];
    const wanted = scopeUnion(before, challenge.scopes);
    this.#refresher.wanted = wanted;
    const isMore = wanted.length > before.length;
    if (this.#grant && isMore) return this.#toRenewal(await this.#obtain({ refused: sent }, signal));
    const missing = challenge.scopes.filter((scope) => !before.includes(scope));
    const what =
      missing.length === 0
        ? 'rights that this account does not have'
        : `these additional rights: ${missing.join(', ')}`;
    const cause = new HostError('unauthorized', `it requires ${gateLine(what, { limit: 500 }).text}`);
    return { kind: 'sign-in', hint: loginHint(name, wanted), cause };
  }

  #obtain({ refused }: Pick<ObtainTokensOptions, 'refused'>, signal: AbortSignal | undefined): Promise<ObtainOutcome> {
    const ask: ObtainTokensOptions = { target: this.#target, refused, grant: this.#grant };
    return within(this.#refresher.obtain(ask), {
      signal,
      instead: (): ObtainOutcome => {
        const error = new HostError('cancelled', `The wait for a token of "${this.#target.name}" was cancelled`);
        return { kind: 'failed', error };
      },
    });
  }

  #present(record: SignedIn): RequestCredentials {
    const { tokens } = record;
    const isRenewable = this.#grant !== undefined || tokens.refreshToken !== undefined;
    const isFresh = (): boolean => freshnessOf(tokens, this.#options.wall()) === 'fresh';
    return this.#refresher.presenter.present(record, isRenewable ? isFresh : undefined);
  }

  #credentialsOf(obtained: ObtainOutcome): RequestCredentials | undefined {
    const isOurs = obtained.kind === 'tokens' && mayUse(this.#target, obtained.record);
    return isOurs ? this.#present(obtained.record) : undefined;
  }

  #renewed(record: SignedIn): Renewal {
    if (!mayUse(this.#target, record)) return signInNotShared(this.#target);
    return { kind: 'renewed', presented: this.#present(record) };
  }

  #toRenewal(obtained: ObtainOutcome): Renewal {
    if (obtained.kind === 'tokens') return this.#renewed(obtained.record);
    if (obtained.kind === 'failed') return obtained;
    const { error } = obtained;
    const hint = error?.hint ?? this.hint;
    const told = hint.includes('plugboard ') ? hint : `${hint}, then: ${this.hint}`;
    return { kind: 'sign-in', hint: told, ...(error && { cause: error }) };
  }
}

const TIMEOUT_MS = 5000;
