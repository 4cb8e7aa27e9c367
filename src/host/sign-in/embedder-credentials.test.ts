import { expect, test } from 'vitest';
import { Secret } from '../../base/secret.js';
import { bearer } from '../../model/account.js';
import type { Credentials, RequestCredentials } from '../../model/credentials.js';
import { EmbedderCredentials } from './embedder-credentials.js';

const denial = { status: 401 };
const said = (credentials: RequestCredentials | undefined): string | undefined =>
  credentials?.headers['authorization']?.reveal();

const over: Credentials = {
  hint: 'sign in',
  canSignIn: true,
  renewsAt: [401, 403],
  present: async () => bearer(new Secret('kept')),
  renew: async () => ({ kind: 'sign-in', hint: 'sign in' }),
};

function scene(tokens: readonly (string | undefined)[]): { asked: unknown[]; who: EmbedderCredentials } {
  const rest = [...tokens];
  const asked: unknown[] = [];
  const token = async (request: object): Promise<string | undefined> => {
    asked.push(request);
    return rest.shift();
  };
  return { asked, who: new EmbedderCredentials({ server: 'db', url: 'https://db.example', token, over }) };
}

test('the token of the embedding program goes to the server, and another one when it is refused', async () => {
  const { asked, who } = scene(['one', 'two', 'two']);
  const first = await who.present();
  expect(said(first)).toBe('Bearer one');
  const renewal = await who.renew(first, denial);
  expect(renewal.kind === 'renewed' && said(renewal.presented)).toBe('Bearer two');
  expect(await who.renew(renewal.kind === 'renewed' ? renewal.presented : undefined, denial)).toMatchObject({
    kind: 'sign-in',
    hint: expect.stringContaining('embeds Plugboard'),
  });
  expect(asked).toEqual([
    { server: 'db', url: 'https://db.example' },
    { server: 'db', url: 'https://db.example', refused: 'one' },
    { server: 'db', url: 'https://db.example', refused: 'two' },
  ]);
});

test('where it has none, the user’s own sign-in holds', async () => {
  const { who } = scene([undefined, undefined]);
  const credentials = await who.present();
  expect(said(credentials)).toBe('Bearer kept');
  expect(await who.renew(credentials, denial)).toEqual({ kind: 'sign-in', hint: 'sign in' });
});

test('a denial of what was asked for asks the embedding program for nothing', async () => {
  const { asked, who } = scene(['one', 'two']);
  const credentials = await who.present();
  expect(await who.renew(credentials, { status: 403 })).toMatchObject({ kind: 'sign-in' });
  expect(asked).toHaveLength(1);
});

test('an embedding program that throws, or gives something else than a text, has no token', async () => {
  const throwing = new EmbedderCredentials({
    server: 'db',
    url: 'https://db.example',
    token: () => Promise.reject(new Error('no')),
    over,
  });
  expect(said(await throwing.present())).toBe('Bearer kept');
  expect(await throwing.renew(undefined, denial)).toMatchObject({ kind: 'sign-in' });
  expect(said(await scene([7 as unknown as string]).who.present())).toBe('Bearer kept');
});
