// https://www.rfc-editor.org/rfc/rfc6749#section-2.3
import type { AddClientAuthentication } from '@modelcontextprotocol/client';
import { Secret } from '../base/secret.js';
import type { AuthorizationServer, ClientIdentity } from './credential-record.js';
import { signInFailure } from './oauth-error.js';
import { loadSdk } from './sdk.js';
import type { SignInTarget } from './sign-in-target.js';
import { textOrFile } from './text-or-file.js';

export interface AuthenticationOptions {
  readonly target: SignInTarget;
  readonly issuer: AuthorizationServer;
  readonly client: ClientIdentity;
  readonly cwd?: string | undefined;
}

/** How a client proves who it is, as its authorization server wants it: by signature, by secret, or not at all. */
export async function authenticateClient(options: AuthenticationOptions): Promise<AddClientAuthentication> {
  const { target, issuer, client } = options;
  const { clientId, clientSecret } = client;
  const { privateKey } = target.settings;
  const methods = issuer.authMethods ?? [];
  const isSigned = methods.length === 0 || methods.includes('private_key_jwt') || !clientSecret;
  if (privateKey && client.origin === 'given' && isSigned) return await bySignature(privateKey, options);
  const { selectClientAuthMethod } = await loadSdk();
  const method = selectClientAuthMethod(
    {
      client_id: clientId,
      redirect_uris: [],
      ...(clientSecret && { client_secret: clientSecret.reveal() }),
      ...(client.authMethod !== undefined && { token_endpoint_auth_method: client.authMethod }),
    },
    [...methods],
  );
  return (headers, params) => {
    if (method === 'client_secret_basic' && clientSecret) {
      headers.set('authorization', `Basic ${basic(clientId, clientSecret.reveal())}`);
      return;
    }
    params.set('client_id', clientId);
    if (method === 'client_secret_post' && clientSecret) params.set('client_secret', clientSecret.reveal());
  };
}

/** Both are forms before they are joined, because either may hold a colon. */
function basic(clientId: string, secret: string): string {
  return Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`, 'utf8').toString('base64');
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

async function bySignature(
  secret: Secret,
  { target, issuer, client, cwd }: AuthenticationOptions,
): Promise<AddClientAuthentication> {
  const { name, settings } = target;
  const field = 'oauth.privateKey';
  const pem = textOrFile(secret, { isText: /-----BEGIN/u, field, name, cwd });
  const { privateKey, algorithm } = await toKey(pem, { name, wanted: settings.signingAlgorithm });
  const { createPrivateKeyJwtAuth } = await loadSdk();
  const sign = createPrivateKeyJwtAuth({
    issuer: client.clientId,
    subject: client.clientId,
    privateKey: privateKey.reveal(),
    alg: algorithm,
    audience: issuer.issuer,
  });
  return async (headers, params, url, metadata) => {
    params.set('client_id', client.clientId);
    await sign(headers, params, url, metadata);
  };
}

/** Whichever form of PEM it is, as the SDK reads it. */
async function toKey(
  pem: Secret,
  { name, wanted }: { readonly name: string; readonly wanted: string | undefined },
): Promise<{ privateKey: Secret; algorithm: string }> {
  const { createPrivateKey } = await import('node:crypto');
  try {
    const key = createPrivateKey(pem.reveal());
    const algorithm = wanted ?? usualAlgorithm(key.asymmetricKeyType, key.asymmetricKeyDetails?.namedCurve);
    if (algorithm === undefined || !/^(?:RS|PS|ES)(?:256|384|512)$/u.test(algorithm))
      throw new Error('not an algorithm that is known');
    return { privateKey: new Secret(String(key.export({ type: 'pkcs8', format: 'pem' }))), algorithm };
  } catch {
    // What the library says about a key may hold a part of it.
    throw signInFailure(`"oauth.privateKey" of server "${name}" is no private key that can sign (RSA, or EC of NIST)`, {
      hint: 'Give PEM without a passphrase; "oauth.signingAlgorithm" is RS256, PS256, ES256, ES384 or the like',
    });
  }
}

function usualAlgorithm(type: string | undefined, curve: string | undefined): string | undefined {
  if (type === 'rsa') return 'RS256';
  return { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }[curve ?? ''];
}
