import { HostError } from '../../base/errors.js';
import { unreachable } from '../../base/never.js';
import { userlessGrant } from '../../model/oauth-settings.js';
import type { SignInServices } from '../sign-in-services.js';
import { chosenScopes } from './chosen-scopes.js';
import { checkIssuer, identifyClient } from '../client/client-identity.js';
import type { AuthorizationServer } from '../store/credential-record.js';
import { requestCrossApp } from './cross-app.js';
import { discoverIssuer, type Discovery } from '../discovery/discovery.js';
import { DpopKey } from '../tokens/dpop-key.js';
import type { IdentityProvider } from '../client/identity-provider.js';
import { loginHint, scopeUnion, surplusText } from './login-hint.js';
import { signInFailure } from '../oauth-error.js';
import type { SignInTarget } from '../sign-in-target.js';
import type { SilentGrant, TokenRefresher } from '../tokens/token-refresher.js';
import { requestByAssertion, requestByClient } from '../tokens/token-requests.js';
import type { NewTokens } from '../tokens/token-set.js';

export interface SilentGrantOptions {
  readonly refresher: TokenRefresher;
  /** The source of the ID token for `xaa`. */
  readonly identityProvider?: IdentityProvider | undefined;
  readonly around: Pick<SignInServices, 'onProblem' | 'worldFor'>;
}

/** How to get tokens without a user; undefined when a user has to sign in. */
export function userlessGrantOf(target: SignInTarget, options: SilentGrantOptions): SilentGrant | undefined {
  const way = userlessGrant(target.settings);
  if (!way) return undefined;
  const { settings, name } = target;
  const { refresher, identityProvider, around } = options;
  return async ({ current, world, isRefused }) => {
    // First of all, because without an ID token there is no request to make.
    const proof = way === 'xaa' ? await idTokenOf(name, identityProvider) : undefined;
    const { challenge } = refresher;
    // A server that refused its token may have moved to another authorization server.
    const discovery: Discovery =
      current && !isRefused
        ? { issuer: current.issuer, resource: current.resource, hasResourceMetadata: true }
        : await discoverIssuer(target, world, { challenge, knownIssuer: current?.issuer.issuer });
    const { issuer, resource } = discovery;
    checkIssuer(target, { before: current, issuer });
    const known = current?.issuer.issuer === issuer.issuer ? current : undefined;
    const scopes = chosenScopes({ settings, discovery, challenge, before: known?.scopes, more: refresher.wanted });
    const client = await identifyClient(target, issuer, { known: known?.client, scopes }, world);
    const dpop = dpopKeyFor(target, issuer);
    const request = { target, issuer, client, resource, scopes, dpop };
    let answer: NewTokens;
    switch (way) {
      case 'client_credentials':
        answer = await requestByClient(request, world);
        break;
      case 'jwt_bearer':
        answer = await requestByAssertion(request, world);
        break;
      case 'xaa':
        answer = await requestCrossApp(
          { ...request, ...proof! },
          // Each request is gated by its own target: a private provider must not let a server name private URLs.
          { world, identityWorld: around.worldFor(identityProvider!.target, world.signal) },
        );
        break;
      default:
        return unreachable(way);
    }
    const { unrequestedScopes, ...tokens } = answer;
    if (unrequestedScopes.length > 0) around.onProblem(surplusText(name, unrequestedScopes));
    const { url: server, account } = target;
    const all = scopeUnion(known?.scopes, scopes);
    return { server, account, issuer, client, tokens, resource, scopes: all, dpopKey: dpop?.secret };
  };
}

/** A new key for each sign-in; undefined without `oauth.dpop`, or when the authorization server lacks ES256. */
export function dpopKeyFor({ settings }: SignInTarget, { dpopAlgorithms }: AuthorizationServer): DpopKey | undefined {
  return settings.dpop === true && dpopAlgorithms?.includes('ES256') === true ? DpopKey.create() : undefined;
}

async function idTokenOf(name: string, identityProvider: IdentityProvider | undefined) {
  if (!identityProvider)
    throw signInFailure(`Server "${name}" has "xaa", and no identity provider is configured`, {
      hint: 'Name it in the settings, as "xaaIdp" with "issuer" and "clientId"',
    });
  const proof = await identityProvider.idToken();
  if (proof.kind === 'failed') throw proof.error;
  if (proof.kind === 'sign-in') {
    throw new HostError(
      'unauthorized',
      `Server "${name}" relies on your sign-in at ${identityProvider.target.name}: sign in there`,
      {
        hint: loginHint(name),
        detail: { kind: 'oauth', isTransient: false },
      },
    );
  }
  const { clientId, clientSecret } = identityProvider.settings;
  return { idToken: proof.idToken, identityProvider: { issuer: proof.issuer, clientId, clientSecret } };
}
