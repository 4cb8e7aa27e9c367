import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpMode } from '../../src/testing/mode.js';
import { findMode, modes } from '../../src/testing/modes.js';
import { serveMode } from '../../src/testing/serve-mode.js';

/** A hostile mode must be correct but for its attack: the official client signs in to every legal one. */
const legal = modes.filter(
  ({ summary, expect: expected }) => expected.connect === 'sign-in' && summary.endsWith('(legal)'),
);

test.each(legal.map((mode) => [mode.name, mode] as const))('the official client signs in to %s', async (_, mode) => {
  if (mode.channel === 'stdio') throw new Error('nobody signs in to a process');
  const served = await serveMode(mode);
  onTestFinished(() => served[Symbol.asyncDispose]());
  const url = new URL(served.url);
  const authProvider = new MemoryProvider();
  const first = new StreamableHTTPClientTransport(url, { authProvider });
  const refused = newClient().connect(first);
  await expect(refused).rejects.toThrow(UnauthorizedError);
  const { headers } = await request(authProvider.page!);
  await first.finishAuth(new URL(String(headers['location'])).searchParams);
  const client = newClient();
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
  expect((await client.listTools()).tools).toHaveLength(3);
  expect((await client.callTool({ name: 'attack', arguments: {} })).content).toEqual([
    { type: 'text', text: 'survived' },
  ]);
  const wrong = ['without PKCE', 'without state', 'wrong resource', 'reused refresh token', 'strange scope'];
  expect(served.counts()).toMatchObject({ authorize: 1, 'token authorization_code': 1, strayed: 0 });
  expect(Object.keys(served.counts()).filter((what) => wrong.includes(what))).toEqual([]);
});

test('whoever goes where a server points is found out', async () => {
  const served = await serveMode(findMode('oauth-prm-ssrf') as HttpMode);
  onTestFinished(() => served[Symbol.asyncDispose]());
  const transport = new StreamableHTTPClientTransport(new URL(served.url), { authProvider: new MemoryProvider() });
  await expect(newClient().connect(transport)).rejects.toThrow(/./u);
  expect(served.counts()['strayed']).toBeGreaterThan(0);
});

function newClient(): Client {
  return new Client({ name: 'oracle', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
}

/** Keeps everything in memory and opens no browser. */
class MemoryProvider implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:1/callback';
  readonly clientMetadata = { client_name: 'oracle', redirect_uris: [this.redirectUrl] };
  page: URL | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;

  state(): string {
    return 'the state';
  }
  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }
  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }
  redirectToAuthorization(page: URL): void {
    this.page = page;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }
  saveDiscoveryState(discovered: OAuthDiscoveryState): void {
    this.#discovered = discovered;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
}
