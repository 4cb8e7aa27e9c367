// https://openid.net/specs/openid-connect-core-1_0.html#IDToken
import { parseUrl } from '../../base/parse-url.js';
import type { HostError } from '../../base/errors.js';
import { isObject, parseJson } from '../../base/json.js';
import type { Secret } from '../../base/secret.js';
import type { IdentityProviderSettings } from '../../model/oauth-settings.js';
import type { AuthorizationServer, TokenSet } from '../store/credential-record.js';
import { isSignedIn } from '../tokens/token-headers.js';
import { toSignInError } from '../sign-in-error.js';
import type { SignInTarget } from '../sign-in-target.js';
import type { TokenRefresher } from '../tokens/token-refresher.js';

export type IdTokenAnswer =
  | { readonly kind: 'id-token'; readonly idToken: Secret; readonly issuer: AuthorizationServer }
  | { readonly kind: 'sign-in'; readonly error?: HostError | undefined }
  | { readonly kind: 'failed'; readonly error: HostError };

/** The identity provider (settings.xaaIdp) whose ID token servers with `xaa` accept; signed in to once. */
export class IdentityProvider {
  readonly settings: IdentityProviderSettings;
  /** The identity provider as a sign-in target: the user signs in to it as to any server. */
  readonly target: SignInTarget;
  readonly #refresher: TokenRefresher;
  readonly #wall: () => number;
  /** An expired ID token ('' for none) that the provider did not renew with a refresh: only a sign-in does. */
  #spent: string | undefined;

  constructor(
    settings: IdentityProviderSettings,
    { refresher, wall }: { readonly refresher: TokenRefresher; readonly wall: () => number },
  ) {
    this.settings = settings;
    this.target = identityTarget(settings);
    this.#refresher = refresher;
    this.#wall = wall;
  }

  /** An ID token valid for `AHEAD_MS` more, refreshed if necessary. No network before a sign-in. Never rejects. */
  async idToken(): Promise<IdTokenAnswer> {
    try {
      const record = await (this.#spent === undefined ? this.#refresher.current() : this.#refresher.stored());
      if (!isSignedIn(record)) return { kind: 'sign-in' };
      if (this.#spent !== undefined && record.tokens.idToken?.reveal() === this.#spent) return { kind: 'sign-in' };
      const isDue = (tokens: TokenSet): boolean => !isGood(tokens.idToken, this.#wall());
      let newest = record;
      if (isDue(record.tokens)) {
        const obtained = await this.#refresher.obtain({ target: this.target, isDue });
        if (obtained.kind !== 'tokens') return obtained;
        newest = obtained.record;
      }
      const { idToken } = newest.tokens;
      if (!idToken || !isGood(idToken, this.#wall())) {
        this.#spent = idToken?.reveal() ?? '';
        return { kind: 'sign-in' };
      }
      this.#spent = undefined;
      return { kind: 'id-token', idToken, issuer: newest.issuer };
    } catch (error) {
      return { kind: 'failed', error: toSignInError(error, this.target.name) };
    }
  }
}

export function identityTarget(settings: IdentityProviderSettings): SignInTarget {
  const { issuer, clientId, clientSecret, callbackPort, scopes = ['openid', 'offline_access'] } = settings;
  const name = parseUrl(issuer)?.host ?? issuer;
  return {
    name,
    url: issuer,
    account: '',
    settings: {
      clientId,
      ...(clientSecret && { clientSecret }),
      ...(callbackPort !== undefined && { callbackPort }),
      scopes: scopes.includes('openid') ? scopes : ['openid', ...scopes],
    },
  };
}

const AHEAD_MS = 60_000;

/** Checks the expiry only: the token came over TLS, and the server that accepts it checks the signature. */
function isGood(idToken: Secret | undefined, now: number): boolean {
  if (!idToken) return false;
  const expiresAt = expiryOf(idToken.reveal());
  return expiresAt === undefined || now < expiresAt - AHEAD_MS;
}

function expiryOf(jwt: string): number | undefined {
  // An unreadable token counts as one that never expires: the server that gets it reports the error.
  const claims = parseJson(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const exp = isObject(claims) ? claims['exp'] : undefined;
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
}
