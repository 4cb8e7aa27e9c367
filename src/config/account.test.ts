import { expect, test } from 'vitest';
import { type House, openHouse } from '../../test/house.js';
import { Secret } from '../base/secret.js';
import { accountFor } from './account.js';
import type { HostConfig } from './load.js';
import type { ScopeName } from './scope.js';
import { userFile } from './scopes/user.js';

const CATALOGUE = 'https://account.example/list';

function settle(house: House, connectors: object | undefined): void {
  house.write(userFile(house.context())!, { settings: { connectors } });
}

function accountAt(loaded: HostConfig, url: string, scope: ScopeName = 'connectors'): ReturnType<typeof accountFor> {
  const config = { type: 'connector-proxy', url: 'https://slack.example/mcp', proxyUrl: url, headers: {} } as const;
  return accountFor({ scope, config }, loaded);
}

test.each([
  ['https://account.example/proxy?mcp_url=x', true],
  ['https://ACCOUNT.example:443/proxy', true],
  ['https://account.example.evil.example/proxy', false],
  ['https://proxy.account.example/proxy', false],
  ['https://account.example:8443/proxy', false],
  ['http://account.example/proxy', false],
  ['https://account.example@evil.example/', false],
  ['nonsense', false],
])('the token goes to %s: %s', async (url, isGiven) => {
  using house = openHouse();
  settle(house, { url: CATALOGUE, token: 'secret-token' });
  const account = accountAt(await house.load(), url);
  expect((await account?.token())?.reveal()).toBe(isGiven ? 'secret-token' : undefined);
});

test.each<[string, boolean]>([
  ['http://account.example', false],
  ['http://127.0.0.1:8080', true],
  ['http://localhost:8080', true],
])('without encryption it goes to this machine alone: %s', async (origin, isGiven) => {
  using house = openHouse();
  settle(house, { url: `${origin}/list`, token: 'secret-token' });
  expect(accountAt(await house.load(), `${origin}/proxy`) !== undefined).toBe(isGiven);
});

test.each<[ScopeName, boolean]>([
  ['enterprise', true],
  ['dynamic', true],
  ['local', true],
  ['project', false],
  ['user', true],
  ['linked', false],
  ['plugin', false],
  ['connectors', true],
])('an entry of the %s scope may have it: %s', async (scope, isGiven) => {
  using house = openHouse();
  settle(house, { url: CATALOGUE, token: 'secret-token' });
  expect(accountAt(await house.load(), 'https://account.example/proxy', scope) !== undefined).toBe(isGiven);
});

test('a server that is reached in another way has no account', async () => {
  using house = openHouse();
  settle(house, { url: CATALOGUE, token: 'secret-token' });
  const loaded = await house.load();
  const config = { type: 'stdio', command: 'x', args: [], env: {} } as const;
  expect(accountFor({ scope: 'user', config }, loaded)).toBeUndefined();
  expect(accountFor({ scope: 'user', config: undefined }, loaded)).toBeUndefined();
});

test('another token is the one that stands in the settings now, if it is another', async () => {
  using house = openHouse();
  settle(house, { url: CATALOGUE, token: 'first' });
  const account = accountAt(await house.load(), 'https://account.example/proxy')!;
  const renewed = async (refused: string): Promise<string | undefined> =>
    (await account.renew(new Secret(refused)))?.reveal();
  expect(await renewed('first')).toBeUndefined();
  settle(house, { url: CATALOGUE, token: 'second' });
  expect([(await account.token())?.reveal(), await renewed('first'), await renewed('second')]).toEqual([
    'second',
    'second',
    undefined,
  ]);
});

test('a token that came with another catalogue, no token, no settings and a broken file give none', async () => {
  using house = openHouse();
  settle(house, { url: CATALOGUE, token: 'first' });
  const account = accountAt(await house.load(), 'https://account.example/proxy')!;
  const states = [
    { url: 'https://other.example/list', token: 'of the other' },
    { url: CATALOGUE },
    undefined,
    { url: 7, token: 'second' },
  ];
  for (const state of states) {
    settle(house, state);
    expect([await account.token(), await account.renew(new Secret('first'))]).toEqual([undefined, undefined]);
  }
  house.write(userFile(house.context())!, '{ "settings": { "connectors": ');
  expect([await account.token(), await account.renew(new Secret('first'))]).toEqual([undefined, undefined]);
});
