import { parseChallenge } from '../../model/challenge.js';
import type { SignInServices } from '../sign-in-services.js';
import type { OAuthContext } from '../oauth-context.js';
import { readAuthorizationServer } from '../discovery/authorization-server.js';
import { chosenScopes } from './chosen-scopes.js';
import { checkIssuer } from '../client/client-identity.js';
import type { ClientIdentity, CredentialRecord, TokenSet } from '../store/credential-record.js';
import { discoverIssuer, type Discovery } from '../discovery/discovery.js';
import type { DpopKey } from '../tokens/dpop-key.js';
import { signedInBy } from '../guest.js';
import { scopeUnion, surplusText } from './login-hint.js';
import { signInFailure } from '../oauth-error.js';
import type { SignInEnd, SignInOptions } from '../sign-in.js';
import type { SignInTarget } from '../sign-in-target.js';
import type { NewRecord, TokenRefresher } from '../tokens/token-refresher.js';
import type { NewTokens } from '../tokens/token-set.js';

export interface FlowOptions {
  readonly target: SignInTarget;
  readonly options: SignInOptions;
  readonly refresher: TokenRefresher;
  readonly around: SignInServices;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called before `done` resolves. Contract: must not throw. */
  readonly onEnd: (end: SignInEnd) => void;
  /** The target is the identity provider, not a server: its tokens are for no resource. */
  readonly isIdentityProvider: boolean;
}

export interface SignInPlan {
  readonly discovery: Discovery;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** The client of an earlier sign-in at this same issuer. */
  readonly known?: ClientIdentity | undefined;
}

/** Finds the authorization server and decides on scopes and client. Rejects with a HostError. */
export async function planSignIn(flow: FlowOptions, world: OAuthContext): Promise<SignInPlan> {
  const { target, options, refresher } = flow;
  const record = await refresher.stored();
  const challenge = options.challenge === undefined ? refresher.challenge : parseChallenge(options.challenge);
  const discovery = flow.isIdentityProvider
    ? await discoverIdentityProvider(target, world)
    : await discoverIssuer(target, world, { challenge, knownIssuer: record?.issuer.issuer });
  checkIssuer(target, { before: record, issuer: discovery.issuer });
  // The record of another issuer is not used: the new issuer gets a new client and learns nothing of the old one.
  const before = record?.issuer.issuer === discovery.issuer.issuer ? record : undefined;
  const more = scopeUnion(options.scopes, refresher.wanted);
  const scopes = chosenScopes({ settings: target.settings, discovery, challenge, before: before?.scopes, more });
  // Some authorization servers let a client request only the scopes that it was registered with.
  const isEnough = before?.client.origin !== 'registered' || scopes.every((scope) => before.scopes.includes(scope));
  return { discovery, resource: discovery.resource, scopes, known: isEnough ? before?.client : undefined };
}

/** The identity provider is its own authorization server, by the exact issuer in the settings; no resource. */
async function discoverIdentityProvider(target: SignInTarget, world: OAuthContext): Promise<Discovery> {
  const issuer = await readAuthorizationServer(target.url, { target, world });
  if (!issuer) {
    throw signInFailure(`The identity provider ${target.name} publishes no metadata`, {
      hint: 'Check "issuer" of "xaaIdp" in the settings',
    });
  }
  return { issuer, resource: '', hasResourceMetadata: false };
}

/** Saves the sign-in. Returns a warning for the user when the tokens could not be saved. Never rejects. */
export async function keepSignIn(
  { target, refresher, around }: FlowOptions,
  { discovery: { issuer }, resource, scopes }: SignInPlan,
  {
    client,
    answer,
    dpop,
  }: { readonly client: ClientIdentity; readonly answer: NewTokens; readonly dpop?: DpopKey | undefined },
): Promise<string | undefined> {
  const { unrequestedScopes, ...tokens } = answer;
  if (unrequestedScopes.length > 0) around.onProblem(surplusText(target.name, unrequestedScopes));
  const toRecord = (current: CredentialRecord | undefined): NewRecord & { readonly tokens: TokenSet } => ({
    server: target.url,
    account: target.account,
    issuer,
    client,
    tokens,
    resource,
    scopes: scopeUnion(current?.issuer.issuer === issuer.issuer ? current.scopes : [], scopes),
    by: signedInBy(target, current),
    dpopKey: dpop?.secret,
  });
  return refresher.keep(target.name, toRecord);
}
