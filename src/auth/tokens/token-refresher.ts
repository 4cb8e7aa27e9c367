import type { HostError } from '../../base/errors.js';
import type { Challenge } from '../../model/challenge.js';
import type { SignInServices } from '../sign-in-services.js';
import type { OAuthContext } from '../oauth-context.js';
import type { CredentialRecord, TokenSet } from '../store/credential-record.js';
import type { HeldRecord, RecordKey } from '../store/credential-store.js';
import { signedInBy } from '../guest.js';
import { surplusText } from '../flows/login-hint.js';
import { isTransientFailure } from '../oauth-error.js';
import { headerOf, isSignedIn, TokenHeaders, type SignedIn } from './token-headers.js';
import { Backoff, freshnessOf } from './token-freshness.js';
import { toSignInError } from '../sign-in-error.js';
import type { SignInTarget } from '../sign-in-target.js';
import { refreshTokens } from './token-requests.js';

export type NewRecord = Omit<CredentialRecord, 'revision'>;

export type ObtainOutcome =
  | { readonly kind: 'tokens'; readonly record: SignedIn }
  /** Only the user can help. `error`: the authorization server's, where it was asked. */
  | { readonly kind: 'sign-in'; readonly error?: HostError | undefined }
  | { readonly kind: 'failed'; readonly error: HostError };

export interface ObtainTokensOptions {
  readonly target: SignInTarget;
  /** The Authorization header that was refused: any other token will do. */
  readonly refused?: string | undefined;
  /** Decides, instead of the access token's expiry, whether these tokens have to be replaced. */
  readonly isDue?: ((tokens: TokenSet) => boolean) | undefined;
  /** Gets tokens without a user. Rejects with HostErrors. */
  readonly grant?: SilentGrant | undefined;
  /** The user wants new tokens now, whatever is stored and whatever failed a moment ago. */
  readonly isAnew?: boolean | undefined;
}

export type SilentGrant = (situation: {
  readonly current: CredentialRecord | undefined;
  readonly world: OAuthContext;
  /** The server has refused, so what is stored about it may be wrong. */
  readonly isRefused: boolean;
}) => Promise<NewRecord>;

/**
 * The tokens of one record, for all of this process: makes one token request at a time, under the lock of all
 * processes, and only after checking whether another process has new tokens already.
 */
export class TokenRefresher {
  readonly presenter = new TokenHeaders();
  /** The server's latest challenge, and the scopes that it missed. */
  challenge: Challenge | undefined;
  wanted: readonly string[] | undefined;
  /** Since the latest sign-in something was refused that only another sign-in can fix. */
  isDenied = false;
  readonly #key: RecordKey;
  readonly #around: SignInServices;
  readonly #closing: AbortSignal;
  readonly #backoff: Backoff;
  #record: CredentialRecord | undefined;
  /** `#record` could not be saved. `over`: the stored revision; while it is still stored, memory is newer. */
  #unsaved: { readonly over: number; readonly name: string } | undefined;
  #saving: Disposable | undefined;
  #renewed: { readonly header: string; readonly at: number } | undefined;
  #pendingRequest: Promise<ObtainOutcome> | undefined;

  constructor(key: RecordKey, around: SignInServices, closing: AbortSignal) {
    this.#key = key;
    this.#around = around;
    this.#closing = closing;
    this.#backoff = new Backoff(around.clock);
  }

  /** Keeps a refusal's challenge. A new challenge lets a grant without a user try again at once. */
  onChallenge(challenge: Challenge, { isSilent }: { readonly isSilent: boolean }): void {
    const before = this.challenge;
    const resourceMetadata = challenge.resourceMetadata ?? before?.resourceMetadata;
    this.challenge = { ...challenge, resourceMetadata };
    const isNews =
      resourceMetadata !== before?.resourceMetadata || challenge.scopes.join(' ') !== (before?.scopes ?? []).join(' ');
    if (!isSilent || !isNews) return;
    this.#backoff.succeeded();
    this.#renewed = undefined;
  }

  /** The record from memory, if it has tokens there, else from the store. Rejects with a HostError. */
  async current(): Promise<CredentialRecord | undefined> {
    if (isSignedIn(this.#record)) return this.#record;
    const stored = await this.#around.store.load(this.#key);
    if (!isSignedIn(this.#record)) this.#record = stored;
    return this.#record;
  }

  /** The record from the store, because another process may have signed in. Rejects with a HostError. */
  async stored(): Promise<CredentialRecord | undefined> {
    const stored = await this.#around.store.load(this.#key);
    this.#record = this.#newest(stored);
    return this.#record;
  }

  /** Returns tokens that will do. Never rejects; concurrent callers share one request. */
  async obtain(ask: ObtainTokensOptions): Promise<ObtainOutcome> {
    const record = this.#record;
    if (isSignedIn(record) && ask.refused !== undefined && !this.#isToReplace(record.tokens, ask))
      return { kind: 'tokens', record };
    for (;;) {
      const joined = this.#pendingRequest;
      const obtained = await (joined ?? this.#take(ask));
      // The shared request may have returned the very token that this caller was refused.
      const isAnswer = obtained.kind !== 'tokens' || headerOf(obtained.record.tokens) !== ask.refused;
      if (!joined || isAnswer) return obtained;
    }
  }

  /** Saves a sign-in. Returns a warning for the user when it could not be saved. Never rejects. */
  async keep(
    name: string,
    toRecord: (current: CredentialRecord | undefined) => NewRecord,
  ): Promise<string | undefined> {
    this.#backoff.succeeded();
    this.wanted = undefined;
    this.#renewed = undefined;
    try {
      return await this.#around.store.alone(this.#key, (held) => this.#save(held, toRecord(held.current), name));
    } catch (error) {
      // Another program may have saved since we read: its revision is the one that could not be replaced.
      const stored = await this.stored().catch(() => this.#record);
      return this.#keepInMemory(toRecord(stored), { over: stored?.revision, name, error });
    }
  }

  /** Deletes the record from memory and store, and returns it. Rejects with a HostError. */
  async remove(): Promise<CredentialRecord | undefined> {
    return this.#around.store.alone(this.#key, async (held) => {
      const record = this.#newest(held.current);
      if (held.current) await held.remove();
      this.#forget();
      return record;
    });
  }

  /** Waits for the request under way, then tries once more to save what could not be saved. Never rejects. */
  async settled(): Promise<void> {
    await this.#pendingRequest;
    this.#saving?.[Symbol.dispose]();
    await this.#saveNow({ isLast: true });
  }

  #take(ask: ObtainTokensOptions): Promise<ObtainOutcome> {
    const flight = this.#around.store
      .alone(this.#key, (held) => this.#replace(held, ask), { signal: this.#closing })
      .catch((error: unknown): ObtainOutcome => ({ kind: 'failed', error: toSignInError(error, ask.target.name) }))
      .finally(() => (this.#pendingRequest = undefined));
    this.#pendingRequest = flight;
    return flight;
  }

  async #replace(held: HeldRecord, ask: ObtainTokensOptions): Promise<ObtainOutcome> {
    const current = this.#newest(held.current);
    this.#record = current;
    if (isSignedIn(current) && ask.isAnew !== true) {
      if (!this.#isToReplace(current.tokens, ask)) {
        if (this.#unsaved) await this.#save(held, current, ask.target.name); // the disk may have room by now
        return { kind: 'tokens', record: current };
      }
      if (this.#isRefusedAtOnce(current.tokens, ask)) return { kind: 'sign-in' };
    }
    if (!ask.grant && !current?.tokens?.refreshToken) return { kind: 'sign-in' };
    const resting = ask.isAnew === true ? undefined : this.#backoff.error;
    if (resting) return { kind: 'failed', error: resting };
    const world = this.#around.worldFor(ask.target, this.#closing);
    let next: NewRecord & { readonly tokens?: TokenSet | undefined };
    try {
      next = ask.grant
        ? {
            ...(await ask.grant({ current, world, isRefused: ask.refused !== undefined })),
            by: signedInBy(ask.target, current),
          }
        : await this.#refresh(current as SignedIn, ask.target, world);
    } catch (error) {
      return await this.#refusal(held, { current, ask, error: toSignInError(error, ask.target.name) });
    }
    this.#backoff.succeeded();
    await this.#save(held, next, ask.target.name);
    if (!isSignedIn(this.#record)) return { kind: 'sign-in' };
    this.#renewed = { header: headerOf(this.#record.tokens), at: this.#around.clock.monotonic() };
    return { kind: 'tokens', record: this.#record };
  }

  async #refresh(current: SignedIn, target: SignInTarget, world: OAuthContext): Promise<NewRecord> {
    const { unrequestedScopes, ...tokens } = await refreshTokens(current, target, world);
    if (unrequestedScopes.length > 0) this.#around.onProblem(surplusText(target.name, unrequestedScopes));
    return { ...current, tokens };
  }

  #isToReplace(tokens: TokenSet, { refused, isDue }: ObtainTokensOptions): boolean {
    if (headerOf(tokens) === refused) return true;
    if (isDue) return isDue(tokens);
    const freshness = freshnessOf(tokens, this.#around.wall());
    return freshness === 'expired' || (freshness === 'due' && refused === undefined);
  }

  /** A token that was just renewed is refused: its age is not the reason, and another would be refused too. */
  #isRefusedAtOnce(tokens: TokenSet, { refused }: ObtainTokensOptions): boolean {
    const renewed = this.#renewed;
    if (!renewed || renewed.header !== refused) return false;
    const age = this.#around.clock.monotonic() - renewed.at;
    return age < AT_ONCE_MS && freshnessOf(tokens, this.#around.wall()) === 'fresh';
  }

  async #refusal(
    held: HeldRecord,
    { current, ask, error }: { current: CredentialRecord | undefined; ask: ObtainTokensOptions; error: HostError },
  ): Promise<ObtainOutcome> {
    if (isTransientFailure(error)) {
      this.#backoff.failed(error);
      return { kind: 'failed', error };
    }
    if (ask.grant || !isSignedIn(current)) {
      // No request was made, for lack of an ID token, so no server needs the backoff.
      if (oauthErrorOf(error) !== undefined || error.code !== 'unauthorized') this.#backoff.failed(error);
      return { kind: 'sign-in', error };
    }
    const isForgotten = CLIENT_FORGOTTEN.has(oauthErrorOf(error) ?? '') && current.client.origin === 'registered';
    if (error.code !== 'unauthorized' && !isForgotten) {
      this.#backoff.failed(error);
      return { kind: 'sign-in', error };
    }
    // A program that ignores the lock may have refreshed first: its tokens stay, although ours were refused.
    const stored = this.#newest(await this.#around.store.load(this.#key));
    if (isSignedIn(stored) && stored.tokens.refreshToken?.reveal() !== current.tokens.refreshToken?.reveal()) {
      this.#record = stored;
      return { kind: 'tokens', record: stored };
    }
    this.#forget();
    try {
      if (isForgotten) await held.remove();
      else await held.save({ ...current, tokens: undefined });
    } catch {
      // The disk is full: the next run tries the tokens once more, and is refused again.
    }
    return { kind: 'sign-in', error };
  }

  #newest(stored: CredentialRecord | undefined): CredentialRecord | undefined {
    if (this.#unsaved) {
      // A program that only had the older tokens has dropped those; ours still hold. A sign-out leaves no record.
      const isWiped = stored !== undefined && !isSignedIn(stored);
      if (isWiped || (stored?.revision ?? NO_REVISION) === this.#unsaved.over) return this.#record;
    }
    this.#unsaved = undefined;
    return stored;
  }

  async #saveNow({ isLast = false } = {}): Promise<void> {
    const unsaved = this.#unsaved;
    if (!unsaved) return;
    const save = async (held: HeldRecord): Promise<void> => {
      this.#record = this.#newest(held.current);
      if (this.#unsaved && this.#record) await this.#save(held, this.#record, unsaved.name);
    };
    const again = (): void => this.#saveLater();
    await this.#around.store.alone(this.#key, save, { signal: this.#closing }).catch(isLast ? () => {} : again);
    if (isLast) this.#saving?.[Symbol.dispose]();
  }

  /** Tries again: another program would use tokens that have been replaced, and lose the sign-in for both. */
  #saveLater(): void {
    this.#saving?.[Symbol.dispose]();
    this.#saving = this.#around.clock.after(SAVE_AGAIN_MS, () => void this.#saveNow());
  }

  /** Called before the tokens are used: the refresh token may be the only valid one, and must not be lost. */
  async #save(held: HeldRecord, record: NewRecord, name: string): Promise<string | undefined> {
    try {
      this.#record = await held.save(record);
      this.#unsaved = undefined;
      return undefined;
    } catch (error) {
      return this.#keepInMemory(record, { over: held.current?.revision, name, error });
    }
  }

  #keepInMemory(
    record: NewRecord,
    { over = NO_REVISION, name, error }: { over: number | undefined; name: string; error: unknown },
  ): string {
    this.#record = { ...record, revision: over };
    this.#unsaved = { over, name };
    this.#saveLater();
    const why = error instanceof Error ? error.message : 'unknown cause';
    const text = `The sign-in to "${name}" could not be saved and lasts only until this program ends: ${why}`;
    this.#around.onProblem(text);
    return text;
  }

  #forget(): void {
    this.#record = undefined;
    this.#unsaved = undefined;
    this.#renewed = undefined;
  }
}

const AT_ONCE_MS = 10_000;
const NO_REVISION = -1;
const SAVE_AGAIN_MS = 30_000; // a disk is full for minutes, and tokens last for minutes
const CLIENT_FORGOTTEN: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client']);

function oauthErrorOf({ detail }: HostError): string | undefined {
  return detail?.kind === 'oauth' ? detail.error : undefined;
}
