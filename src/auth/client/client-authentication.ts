// https://www.rfc-editor.org/rfc/rfc6749#section-2.3
import type { webcrypto } from 'node:crypto';
import type { AuthorizationServer as ServerMetadata, Client, ClientAuth } from 'oauth4webapi';
import type { Secret } from '../../base/secret.js';
import type { OAuthContext } from '../oauth-context.js';
import type { AuthorizationServer, ClientIdentity } from '../store/credential-record.js';
import { loadOAuth } from '../oauth.js';
import { signInFailure } from '../oauth-error.js';
import type { SignInTarget } from '../sign-in-target.js';
import { textOrFile } from '../store/text-or-file.js';

export interface TokenRequestContext {
  readonly target: SignInTarget;
  readonly issuer: AuthorizationServer;
  readonly client: ClientIdentity;
}

/** The first arguments of every request of oauth4webapi. */
export type Parties = readonly [server: ServerMetadata, client: Client, authenticate: ClientAuth];

export async function partiesOf(asking: TokenRequestContext, { cwd }: OAuthContext): Promise<Parties> {
  const { issuer, tokenEndpoint, deviceEndpoint, revocationEndpoint } = asking.issuer;
  const server = {
    issuer: issuer === '' ? tokenEndpoint : issuer, // a stored record may have an empty issuer
    token_endpoint: tokenEndpoint,
    ...(deviceEndpoint !== undefined && { device_authorization_endpoint: deviceEndpoint }),
    ...(revocationEndpoint !== undefined && { revocation_endpoint: revocationEndpoint }),
  };
  return [server, { client_id: asking.client.clientId }, await authenticate(asking, cwd)];
}

/** Client authentication that the authorization server accepts: by signature, by secret, or none. */
async function authenticate(
  { target, issuer, client }: TokenRequestContext,
  cwd: string | undefined,
): Promise<ClientAuth> {
  const { clientSecret, origin } = client;
  const { privateKey } = target.settings;
  const methods = issuer.authMethods ?? [];
  const isSigned = methods.length === 0 || methods.includes('private_key_jwt') || !clientSecret;
  if (privateKey && origin === 'given' && isSigned) return await bySignature(privateKey, target, cwd);
  const method = methodOf(client, methods);
  if (clientSecret && method === 'client_secret_basic') return byHeader(clientSecret);
  return await byForm(method === 'client_secret_post' ? clientSecret : undefined);
}

/** Authenticates in the form: with the secret, or by the client id alone when there is none. */
export async function byForm(clientSecret: Secret | undefined): Promise<ClientAuth> {
  const { ClientSecretPost, None } = await loadOAuth();
  const secret = clientSecret?.reveal() ?? '';
  return secret === '' ? None() : ClientSecretPost(secret);
}

const METHODS = ['client_secret_basic', 'client_secret_post', 'none'];

/** The method of the registration, else the first of `METHODS` (safest first) that the server supports. */
function methodOf({ authMethod }: ClientIdentity, known: readonly string[]): string | undefined {
  const wanted = METHODS.filter((method) => method === authMethod).concat(METHODS);
  return known.length === 0 ? wanted[0] : (wanted.find((method) => known.includes(method)) ?? 'client_secret_post');
}

/**
 * Form-encodes id and secret, because either may contain a colon. The library's `ClientSecretBasic` also escapes the
 * dashes and dots of an id, and many servers compare without decoding.
 */
function byHeader(clientSecret: Secret): ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    const [id, secret] = [clientId, clientSecret.reveal()].map((text) => new URLSearchParams({ '': text }).toString());
    const joined = Buffer.from(`${id?.slice(1)}:${secret?.slice(1)}`, 'utf8').toString('base64');
    headers.set('authorization', `Basic ${joined}`);
  };
}

async function bySignature(
  secret: Secret,
  { name, settings }: SignInTarget,
  cwd: string | undefined,
): Promise<ClientAuth> {
  const pem = textOrFile(secret, { isText: /-----BEGIN/u, field: 'oauth.privateKey', name, cwd });
  const oauth = await loadOAuth();
  return oauth.PrivateKeyJwt(await toKey(pem, { name, wanted: settings.signingAlgorithm }), {
    [oauth.modifyAssertion](header, claims) {
      header['typ'] = 'JWT';
      // A longer life and no `nbf`, for a server whose clock is some minutes off.
      claims['exp'] = Number(claims['iat']) + LIFE_S;
      delete claims['nbf'];
    },
  });
}

const LIFE_S = 300;

/** Reads a private key from any form of PEM that Node can read. */
async function toKey(
  pem: Secret,
  { name, wanted }: { readonly name: string; readonly wanted: string | undefined },
): Promise<webcrypto.CryptoKey> {
  const { createPrivateKey, webcrypto } = await import('node:crypto');
  try {
    const key = createPrivateKey(pem.reveal());
    const algorithm = wanted ?? usualAlgorithm(key.asymmetricKeyType, key.asymmetricKeyDetails?.namedCurve);
    const der = key.export({ type: 'pkcs8', format: 'der' });
    return await webcrypto.subtle.importKey('pkcs8', der, parametersOf(algorithm), false, ['sign']);
  } catch {
    // The caught error is dropped: its text may contain a part of the key.
    throw signInFailure(`"oauth.privateKey" of server "${name}" is not a private key that can sign (RSA or NIST EC)`, {
      hint: 'Give PEM without a passphrase; "oauth.signingAlgorithm" is RS256, PS256, ES256, ES384 or the like',
    });
  }
}

function usualAlgorithm(type: string | undefined, curve: string | undefined): string | undefined {
  if (type === 'rsa') return 'RS256';
  return { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }[curve ?? ''];
}

function parametersOf(algorithm = ''): webcrypto.EcKeyImportParams | webcrypto.RsaHashedImportParams {
  const [, family, bits] = /^(RS|PS|ES)(256|384|512)$/u.exec(algorithm) ?? [];
  if (family === undefined) throw new Error('not an algorithm that is known');
  if (family === 'ES') return { name: 'ECDSA', namedCurve: bits === '512' ? 'P-521' : `P-${bits}` };
  return { name: family === 'RS' ? 'RSASSA-PKCS1-v1_5' : 'RSA-PSS', hash: `SHA-${bits}` };
}
