import type { LookupFunction } from 'node:net';
import { HostError } from '../base/errors.js';
import { onAbort } from '../base/on-abort.js';
import type { Secret } from '../base/secret.js';
import { within } from '../base/within.js';
import { type AuthFetch, openAuthFetch } from './auth-fetch.js';
import { originsOf } from './auth-gate.js';
import { type SignInServices, recordKeyOf } from './sign-in-services.js';
import { IdentityProvider, identityTarget } from './client/identity-provider.js';
import { loginHint, scopeUnion } from './flows/login-hint.js';
import { OAuthCredentials } from './oauth-credentials.js';
import { signInFailure } from './oauth-error.js';
import { isSignedIn } from './tokens/token-headers.js';
import type { BrowserSignIn, DeviceSignIn, SignIn, SignInEnd, SignInOptions } from './sign-in.js';
import { toSignInError } from './sign-in-error.js';
import type { FlowOptions } from './flows/sign-in-plan.js';
import type { SignInTarget } from './sign-in-target.js';
import { userlessGrantOf } from './flows/userless-grant.js';
import { reportOnce } from './report-once.js';
import { type SilentGrant, TokenRefresher } from './tokens/token-refresher.js';

export interface SignInsOptions extends Omit<SignInServices, 'worldFor'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly lookup?: LookupFunction | undefined;
  /** Called after every sign-in: requests that were refused before may succeed now. */
  readonly onSignedIn?: ((target: SignInTarget) => void) | undefined;
  /** Internal: tests replace the fetch. */
  readonly fetchFor?: ((target: SignInTarget) => AuthFetch) | undefined;
}

/** How a sign-out ended. */
export type SignOut =
  | { readonly kind: 'signed-out'; readonly wasRevoked: boolean }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly error: HostError };

/** The sign-ins of one host: accounts, the refresh of their tokens, and the sign-ins under way. */
export class SignIns implements AsyncDisposable {
  readonly #options: SignInsOptions;
  readonly #around: SignInServices;
  /** By record key; several where one server is configured with more than one client secret. */
  readonly #accounts = new Map<string, Account[]>();
  /** Aborts the requests to authorization servers when the host closes. */
  readonly #closing = new AbortController();
  #isClosed = false;

  constructor(options: SignInsOptions) {
    this.#options = options;
    const { store, clock, wall, cwd } = options;
    this.#around = {
      store,
      clock,
      wall,
      onProblem: reportOnce(options.onProblem),
      worldFor: (target, signal) => ({ fetch: this.#fetchFor(target, signal), wall, cwd, signal }),
    };
  }

  /** The credentials for a server. Nothing is read or requested until they are used. */
  credentialsFor(target: SignInTarget): OAuthCredentials {
    const { refresher } = this.#account(target);
    const { clock, wall } = this.#options;
    return new OAuthCredentials({ target, refresher, clock, wall, grant: this.#grantFor(target, refresher) });
  }

  /** Begins a sign-in, or returns the one under way. Never rejects. */
  async begin(target: SignInTarget, options: SignInOptions = {}): Promise<SignIn> {
    try {
      if (this.#isClosed) throw closed(target);
      const { refresher } = this.#account(target);
      const grant = this.#grantFor(target, refresher);
      if (!grant) return await this.#beginFlow(target, options);
      const end = await this.#signInSilently(target, grant);
      if (end.kind === 'signed-in') return { kind: 'done' };
      const { identityProvider } = target;
      const isAsked = end.kind === 'failed' && end.error.code === 'unauthorized';
      if (target.settings.xaa !== true || !identityProvider || !isAsked)
        return end.kind === 'failed' ? end : { kind: 'failed', error: cancelled(target.name) };
      const begun = await this.#beginFlow(identityTarget(identityProvider), { ...options, scopes: [] }, true);
      return begun.kind === 'browser' || begun.kind === 'device' ? this.#followedBy(begun, target, grant) : begun;
    } catch (error) {
      return { kind: 'failed', error: toSignInError(error, target.name) };
    }
  }

  /** Deletes the tokens here first, then asks the authorization server to revoke them. Never rejects. */
  async signOut(target: SignInTarget, signal?: AbortSignal): Promise<SignOut> {
    const account = this.#account(target);
    account.flow?.cancel();
    account.inARow = 0;
    try {
      const record = await account.refresher.remove();
      if (!record) return { kind: 'nothing' };
      if (!isSignedIn(record)) return { kind: 'signed-out', wasRevoked: false };
      const { revokeTokens } = await import('./tokens/revoke.js');
      const wasRevoked = await revokeTokens(record, target, this.#around.worldFor(target, signal));
      return { kind: 'signed-out', wasRevoked };
    } catch (error) {
      return { kind: 'failed', error: toSignInError(error, target.name) };
    }
  }

  /** The scopes that the server has missed in this run; the next sign-in requests them as well. */
  missingScopes(target: SignInTarget): readonly string[] | undefined {
    return this.#account(target).refresher.wanted;
  }

  /** Resets the count of sign-ins in a row, because a call has succeeded. */
  onCallSucceeded(target: SignInTarget): void {
    this.#account(target).inARow = 0;
  }

  /** Cancels sign-ins; waits `CLOSING_MS` at most for refreshes, whose tokens would be lost. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const accounts = [...this.#accounts.values()].flat();
    for (const { flow } of accounts) flow?.cancel();
    const over = Promise.all(accounts.flatMap(({ flow, refresher }) => [whenOver(flow), refresher.settled()]));
    await within(over, {
      deadline: (expire) => this.#options.clock.after(CLOSING_MS, expire),
      instead: () => undefined,
    });
    this.#closing.abort();
  }

  async #beginFlow(target: SignInTarget, options: SignInOptions, isIdentityProvider = false): Promise<SignIn> {
    const account = this.#account(target);
    const { refresher } = account;
    const way = options.way ?? (target.settings.grant === 'device_code' ? 'device' : 'browser');
    const asked = scopeUnion(options.scopes, refresher.wanted);
    const place = target.settings.authServerMetadataUrl;
    for (let open = account.flow; open; open = account.flow) {
      const isMeant = open.way === way && open.place === place; // two entries for one server may name two metadata URLs
      const isSame = isMeant && asked.every((scope) => open?.asked.includes(scope) === true);
      if (isSame) return await open.begun;
      open.cancel();
      await whenOver(open); // the old flow's port may be the only one allowed
    }
    if (this.#isClosed) throw closed(target); // closed while the grant without a user was tried
    this.#checkLimit(target, account);
    const ending = new AbortController();
    const { signal } = options;
    const cancel = (): void => ending.abort();
    if (signal?.aborted === true) cancel();
    const listening = onAbort(signal, cancel);
    const { env } = this.#options;
    const leave = (): void => {
      listening?.[Symbol.dispose]();
      if (account.flow?.cancel === cancel) account.flow = undefined;
    };
    const onEnd = (end: SignInEnd): void => {
      leave();
      if (end.kind === 'signed-in') this.#signedIn(target, account);
    };
    const flow: FlowOptions = { target, options, refresher, around: this.#around, env, isIdentityProvider, onEnd };
    const begun = this.#open(flow, way, ending);
    account.flow = { way, place, asked, begun, cancel };
    const signIn = await begun;
    if (signIn.kind === 'failed') leave();
    return signIn;
  }

  /** Never rejects. */
  async #open(flow: FlowOptions, way: 'browser' | 'device', ending: AbortController): Promise<SignIn> {
    try {
      // Lazy: the callback server alone loads all of node:http.
      if (way === 'device') return await (await import('./flows/device-flow.js')).openDeviceFlow(flow, ending);
      return await (await import('./flows/browser-flow.js')).openBrowserFlow(flow, ending);
    } catch (error) {
      const { name } = flow.target;
      const cause = ending.signal.aborted ? cancelled(name, error) : error;
      return { kind: 'failed', error: cause instanceof HostError ? cause : toSignInError(cause, name) };
    }
  }

  #signedIn(target: SignInTarget, account: Account): void {
    account.inARow = account.refresher.isDenied ? account.inARow + 1 : 1;
    account.refresher.isDenied = false;
    account.signedInAt = this.#options.clock.monotonic();
    this.#options.onSignedIn?.(target);
  }

  /** A server that refuses every token would send the user to its pages for ever. */
  #checkLimit({ name }: SignInTarget, { inARow, signedInAt, refresher }: Account): void {
    if (inARow < IN_A_ROW || !refresher.isDenied) return;
    if (this.#options.clock.monotonic() - signedInAt > LONG_AGO_MS) return;
    throw signInFailure(`Server "${name}" still refuses the token after you signed in ${inARow} times in a row`, {
      hint: `Ask its operator which rights it needs; to try again later: ${loginHint(name)}`,
    });
  }

  /** The sign-in to the identity provider, extended by the token exchange for the server. */
  #followedBy(begun: BrowserSignIn | DeviceSignIn, target: SignInTarget, grant: SilentGrant): SignIn {
    const done = begun.done.then(async (end): Promise<SignInEnd> => {
      if (end.kind !== 'signed-in') return end;
      const exchanged = await this.#signInSilently(target, grant);
      if (exchanged.kind === 'signed-in') this.#options.onSignedIn?.(target);
      return exchanged.kind === 'signed-in' ? { ...end, ...exchanged } : exchanged;
    });
    return { ...begun, done };
  }

  async #signInSilently(target: SignInTarget, grant: SilentGrant): Promise<SignInEnd> {
    const { refresher } = this.#account(target);
    const obtained = await refresher.obtain({ target, grant, isAnew: true });
    if (obtained.kind === 'tokens') return { kind: 'signed-in' };
    const { name } = target;
    return { kind: 'failed', error: obtained.error ?? signInFailure(`Server "${name}" refuses the new token`) };
  }

  #grantFor(target: SignInTarget, refresher: TokenRefresher): SilentGrant | undefined {
    const identityProvider = this.#identityProvider(target);
    return userlessGrantOf(target, { refresher, identityProvider, around: this.#around });
  }

  #identityProvider({ identityProvider }: SignInTarget): IdentityProvider | undefined {
    if (!identityProvider) return undefined;
    const account = this.#account(identityTarget(identityProvider));
    const { refresher } = account;
    account.identityProvider ??= new IdentityProvider(identityProvider, { refresher, wall: this.#options.wall });
    return account.identityProvider;
  }

  #account(target: SignInTarget): Account {
    const key = recordKeyOf(target);
    const id = JSON.stringify([key.server, key.account, key.clientId, key.grant].map((part) => part ?? null));
    const accounts = this.#accounts.get(id) ?? [];
    this.#accounts.set(id, accounts);
    // What is known about another client secret, for instance its refusal, does not apply to this one.
    const { clientSecret } = target.settings;
    let account = accounts.find((one) => one.clientSecret?.reveal() === clientSecret?.reveal());
    if (!account) {
      const refresher = new TokenRefresher(key, this.#around, this.#closing.signal);
      account = { refresher, clientSecret, inARow: 0, signedInAt: 0, flow: undefined, identityProvider: undefined };
      accounts.push(account);
    }
    return account;
  }

  #fetchFor(target: SignInTarget, signal: AbortSignal | undefined): AuthFetch {
    const { env, cwd, lookup, fetchFor } = this.#options;
    if (fetchFor) {
      const fetch = fetchFor(target);
      return (url, init) => fetch(url, { ...init, ...(signal && { signal }) });
    }
    const [server = new URL(target.url), ...trusted] = originsOf(target);
    return openAuthFetch({
      label: `Server "${target.name}"`,
      env,
      cwd,
      server,
      trusted,
      tls: target.tls,
      lookup,
      signal,
    });
  }
}

/** One server as one account, however many connections there are to it. */
interface Account {
  readonly refresher: TokenRefresher;
  readonly clientSecret: Secret | undefined;
  identityProvider: IdentityProvider | undefined;
  flow: OpenFlow | undefined;
  /** Sign-ins in a row that were each followed by another refusal. */
  inARow: number;
  signedInAt: number;
}

interface OpenFlow {
  readonly way: 'browser' | 'device';
  /** The entry's `authServerMetadataUrl`. */
  readonly place: string | undefined;
  readonly asked: readonly string[];
  readonly begun: Promise<SignIn>;
  readonly cancel: () => void;
}

const IN_A_ROW = 3;
const LONG_AGO_MS = 10 * 60_000; // a later refusal does not count: until then the server accepted the token
const CLOSING_MS = 3000;

function closed({ name }: SignInTarget): HostError {
  return new HostError('cancelled', `Cannot sign in to "${name}": the host is closed`);
}

function cancelled(name: string, cause?: unknown): HostError {
  return new HostError('cancelled', `The sign-in to "${name}" was cancelled`, { cause });
}

async function whenOver(flow: OpenFlow | undefined): Promise<void> {
  const signIn = await flow?.begun;
  if (signIn?.kind === 'browser' || signIn?.kind === 'device') await signIn.done;
}
