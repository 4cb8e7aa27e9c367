// https://www.rfc-editor.org/rfc/rfc8628
import type { DeviceAuthorizationResponse } from 'oauth4webapi';
import { HostError } from '../../base/errors.js';
import { Secret } from '../../base/secret.js';
import { nameWord } from '../../base/shell-word.js';
import { gateLine } from '../../model/text/text-gate.js';
import { gateAuth, originsOf } from '../auth-gate.js';
import type { OAuthContext } from '../oauth-context.js';
import { partiesOf } from '../client/client-authentication.js';
import { hostOfUrl } from '../discovery/host-of.js';
import { loadOAuth, requestFields, requestOptions } from '../oauth.js';
import { isTransientStatus, signInFailure, toOAuthResponseError, toOAuthError } from '../oauth-error.js';
import { type GrantRequest, requestByForm } from '../tokens/request-token.js';
import type { SignInTarget } from '../sign-in-target.js';
import type { NewTokens } from '../tokens/token-set.js';

/** A code that the user types on another device. */
export interface BegunDevice {
  readonly deviceCode: Secret;
  readonly userCode: string;
  readonly url: string;
  readonly host: string;
  readonly completeUrl?: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly intervalMs: number;
}

export async function beginDevice(request: GrantRequest, world: OAuthContext): Promise<BegunDevice> {
  const { target, issuer, client } = request;
  const { name } = target;
  const endpoint = issuer.deviceEndpoint;
  if (endpoint === undefined)
    throw signInFailure(`Server "${name}": its authorization server does not support device codes`, {
      hint: `Use a browser: plugboard login ${nameWord(name)}`,
    });
  const place = { name, doing: `${hostOfUrl(endpoint)} gave no code`, secrets: [client.clientSecret] };
  const oauth = await loadOAuth();
  try {
    const [server, identity, authenticate] = await partiesOf(request, world);
    const options = requestOptions(oauth, world);
    const parameters = requestFields(request);
    const response = await oauth.deviceAuthorizationRequest(server, identity, authenticate, parameters, options);
    if (isTransientStatus(response.status)) throw toOAuthResponseError({ status: response.status }, place);
    const answer = await oauth.processDeviceAuthorizationResponse(server, identity, response);
    return toBegun(answer, target, world.wall());
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError)
      throw toOAuthResponseError({ error: error.error, description: error.error_description }, place);
    throw toOAuthError(error, place);
  }
}

export type DevicePoll =
  | { readonly kind: 'pending' }
  /** Poll 5 seconds less often from now on. */
  | { readonly kind: 'slow-down' }
  | { readonly kind: 'done'; readonly tokens: NewTokens };

/** Rejects when the sign-in can no longer succeed, and with a transient error when the request failed. */
export async function pollDevice(request: GrantRequest, deviceCode: Secret, world: OAuthContext): Promise<DevicePoll> {
  const form = { grant_type: DEVICE_GRANT, device_code: deviceCode.reveal() };
  try {
    return { kind: 'done', tokens: await requestByForm(form, request, { world, secrets: [deviceCode] }) };
  } catch (error) {
    const code = error instanceof HostError && error.detail?.kind === 'oauth' ? error.detail.error : undefined;
    if (code === 'authorization_pending') return { kind: 'pending' };
    if (code === 'slow_down') return { kind: 'slow-down' };
    throw error;
  }
}

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const CODE_LIMIT = 4_096;
const USER_CODE_LIMIT = 64; // the user types it
const LONGEST_S = 3_600;
const SHORTEST_S = 1;
const USUAL_INTERVAL_S = 5;

function toBegun(answer: DeviceAuthorizationResponse, target: SignInTarget, now: number): BegunDevice {
  const refuse = (what: string) => signInFailure(`Server "${target.name}": its authorization server ${what}`);
  const { device_code: deviceCode, user_code: userCode, expires_in: expires, interval } = answer;
  if (deviceCode.length > CODE_LIMIT) throw refuse(`gave a device code of more than ${CODE_LIMIT} characters`);
  const shown = gateLine(userCode, { limit: USER_CODE_LIMIT });
  if (shown.findings.length > 0) throw refuse('gave a code that cannot be typed');
  const open = (url: string) => gateAuth(url, { purpose: 'open', origins: originsOf(target) });
  const page = open(answer.verification_uri);
  if (!page.ok) throw refuse(`wants the code entered at a page that is refused. ${page.reason}`);
  const complete = answer.verification_uri_complete === undefined ? undefined : open(answer.verification_uri_complete);
  return {
    deviceCode: new Secret(deviceCode),
    userCode: shown.text,
    url: page.href,
    host: page.url.host,
    // A URL at another origin than the page that is shown could be phishing.
    completeUrl: complete?.ok === true && complete.url.origin === page.url.origin ? complete.href : undefined,
    expiresAt: now + within(expires, LONGEST_S) * 1_000,
    intervalMs: within(interval ?? USUAL_INTERVAL_S, 60) * 1_000,
  };
}

function within(seconds: number, longest: number): number {
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, SHORTEST_S), longest) : longest;
}
