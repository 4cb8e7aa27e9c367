import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCredentialStore } from '../../src/auth/store/open-credential-store.js';
import { HostError } from '../../src/base/errors.js';
import { Secret } from '../../src/base/secret.js';
import { Host } from '../../src/host/host.js';
import type { CallResult } from '../../src/host/host-options.js';

export interface SignInDuty {
  readonly url: string;
  readonly scenario: string;
  /** The data that the scenario gives its client at the start. */
  readonly context: Readonly<Record<string, unknown>>;
}

export function isSignInScenario(scenario: string): boolean {
  return scenario.startsWith('auth/');
}

/**
 * Signs in as a user does: the host finds that the server needs a sign-in, the user visits the page and submits the
 * callback URL, and the tool is called. When the tool needs more scopes, signs in again, as long as the host allows it.
 */
export async function signInAndCall(duty: SignInDuty): Promise<void> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-conformance-home-')));
  try {
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, PLUGBOARD_KEYCHAIN: 'off' };
    await prepare(home, duty);
    await using host = await Host.open({ cwd: home, env, watch: false, permissions: { mode: 'bypass' } });
    const refusal = await use(host, duty).then(
      () => undefined,
      (error: unknown) => error,
    );
    const isRight = REFUSED.has(duty.scenario) && refusal instanceof HostError && refusal.code === 'sign-in-failed';
    if (refusal !== undefined && !isRight) throw refusal;
    if (refusal === undefined && REFUSED.has(duty.scenario))
      throw new Error('It should have been refused, and was not');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function use(host: Host, { scenario }: SignInDuty): Promise<void> {
  await host.settled();
  while (host.server(NAME)?.status === 'needs-auth') {
    await signIn(host);
    await host.settled();
  }
  const state = host.server(NAME);
  if (state?.status !== 'connected') throw asError(state?.error);
  if (MACHINES.has(scenario)) return;
  let result = await callTool(host);
  while (result.error?.code === 'unauthorized') {
    await signIn(host);
    await host.settled();
    result = await callTool(host);
  }
  if (result.error) throw result.error;
  if (result.outcome !== 'ok') throw new Error(`The tool answered with an error: ${JSON.stringify(result.content)}`);
}

const NAME = 'conformance';
/** Scenarios that check how the token was obtained and offer no tool. */
const MACHINES: ReadonlySet<string> = new Set([
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/enterprise-managed-authorization',
  'auth/wif-jwt-bearer',
]);

/** Scenarios that the client must refuse, and one whose server never accepts a token. */
const REFUSED: ReadonlySet<string> = new Set([
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
  'auth/scope-retry-limit',
]);

function callTool(host: Host): Promise<CallResult> {
  return host.call({ name: `mcp__${NAME}__test-tool`, input: {} });
}

/** Acts as the browser: one request, whose redirect is the callback URL. */
async function signIn(host: Host): Promise<void> {
  const begun = await host.signIn(NAME);
  if (begun.kind === 'failed') throw begun.error;
  if (begun.kind === 'done') return;
  if (begun.kind !== 'browser') throw new Error(`A sign-in of the kind ${begun.kind} was not expected`);
  const page = await fetch(begun.url, { redirect: 'manual' });
  const address = page.headers.get('location');
  if (address === null) throw new Error(`The page answered HTTP ${page.status} and leads nowhere`);
  const refusal = await begun.submit(address);
  if (refusal) throw refusal;
  const end = await begun.done;
  if (end.kind === 'failed') throw end.error;
}

async function prepare(home: string, { url, scenario, context }: SignInDuty): Promise<void> {
  const { oauth, settings } = wordsFor(scenario, context);
  const folder = join(home, '.config/plugboard');
  mkdirSync(folder, { recursive: true });
  const entry = { type: 'http', url, oauth };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ mcpServers: { [NAME]: entry }, settings }));
  if (scenario === 'auth/enterprise-managed-authorization') await vouch(home, context);
}

/** The entry's `oauth` and the settings that a user would write for this scenario. */
function wordsFor(
  scenario: string,
  context: SignInDuty['context'],
): { readonly oauth: object; readonly settings?: object } {
  const client = { clientId: context['client_id'], clientSecret: context['client_secret'] };
  switch (scenario) {
    case 'auth/pre-registration':
      return { oauth: client };
    case 'auth/client-credentials-basic':
      return { oauth: { ...client, grant: 'client_credentials' } };
    case 'auth/client-credentials-jwt':
      return {
        oauth: {
          clientId: context['client_id'],
          privateKey: context['private_key_pem'],
          signingAlgorithm: context['signing_algorithm'],
          grant: 'client_credentials',
        },
      };
    case 'auth/wif-jwt-bearer':
      return { oauth: { clientId: context['client_id'], assertion: context['valid_jwt'], grant: 'jwt_bearer' } };
    case 'auth/enterprise-managed-authorization':
      return {
        oauth: { ...client, xaa: true },
        settings: { xaaIdp: { issuer: context['idp_issuer'], clientId: context['idp_client_id'] } },
      };
    case 'auth/dpop':
    case 'auth/dpop-nonce':
      return { oauth: { dpop: true } };
    default:
      return { oauth: { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' } };
  }
}

/** Saves the user's sign-in to the identity provider, with the token from the scenario's context. */
async function vouch(home: string, context: SignInDuty['context']): Promise<void> {
  const issuer = String(context['idp_issuer']);
  const clientId = String(context['idp_client_id']);
  await using store = openCredentialStore({
    folder: join(home, '.local/state/plugboard/credentials'),
    keychain: 'off',
    env: {},
    platform: process.platform,
    onProblem: (text) => process.stderr.write(`${text}\n`),
  });
  const now = Date.now();
  await store.alone({ server: issuer, account: '', clientId }, (held) =>
    held.save({
      server: issuer,
      account: '',
      issuer: {
        issuer,
        tokenEndpoint: String(context['idp_token_endpoint']),
        saysIss: false,
        readsClientDocuments: false,
        isAssumed: false,
      },
      client: { clientId, origin: 'given' },
      resource: issuer,
      scopes: ['openid'],
      tokens: {
        accessToken: new Secret('of no use'),
        type: 'Bearer',
        idToken: new Secret(String(context['idp_id_token'])),
        obtainedAt: now,
        expiresAt: now + 3_600_000,
      },
    }),
  );
}

function asError(error: { readonly code: string; readonly message: string } | undefined): Error {
  return new HostError('connect-failed', error?.message ?? 'The server is not connected');
}
