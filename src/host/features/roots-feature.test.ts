import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AskingLegacy, askingModern, meetAsking } from '../../../test/eras/asking-server.js';
import { callText } from '../../../test/eras/stand-in.js';
import { openContext } from '../../config/context.js';
import { ProjectRoots, type RootsOptions, rootsFeature } from './roots-feature.js';
import { mergeClientFeatures, type ClientFeatures } from './client-features.js';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-roots-')));
beforeAll(() => {
  for (const folder of ['home/me/dots/.git', 'home/me/pro ject/.git', 'home/me/pro ject/src', 'home/me/.git']) {
    mkdirSync(join(base, folder), { recursive: true });
  }
  symlinkSync(join(base, 'home/me'), join(base, 'link-to-home'));
  symlinkSync(join(base, 'home/me/pro ject'), join(base, 'link-to-project'));
  writeFileSync(join(base, 'home/me/pro ject/file'), '');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const HOME = 'home/me';

function serve(cwd: string, roots?: false | readonly string[]): ClientFeatures {
  const context = openContext({ cwd: join(base, cwd), env: { HOME: join(base, HOME) }, platform: 'linux' });
  return rootsFeature({ context, roots });
}

async function listed(serving: ClientFeatures): Promise<unknown> {
  const { signal } = new AbortController();
  return ((await serving.handlers!['roots/list']!({}, { signal })) as { roots: unknown }).roots;
}

const root = (path: string, name: string): object => ({ uri: pathToFileURL(join(base, path)).href, name });

test.each([
  ['the project, from wherever in it', 'home/me/pro ject/src', undefined, [root('home/me/pro ject', 'pro ject')]],
  ['where a link to it leads', 'link-to-project', undefined, [root('home/me/pro ject', 'pro ject')]],
  ['nothing in the home folder', 'home/me', undefined, []],
  ['nothing behind a link to it', 'link-to-home', undefined, []],
  ['nothing above it', 'home', undefined, []],
  [
    'what the entry names',
    'home/me/pro ject',
    ['src', '.'],
    [root('home/me/pro ject/src', 'src'), root('home/me/pro ject', 'pro ject')],
  ],
  [
    'no home, no root, no file and nothing that is not there',
    'home/me/pro ject',
    ['..', '/', 'file', 'gone', 'src', './src'],
    [root('home/me/pro ject/src', 'src')],
  ],
  [
    'what the entry names below the home folder, and not that itself',
    'home/me/pro ject/src',
    ['~/dots', '~', '~/'],
    [root('home/me/dots', 'dots')],
  ],
  ['nothing, where the entry names nothing', 'home/me/pro ject', [], []],
])('a server is told %s', async (_, cwd, roots, expected) => {
  const serving = serve(cwd, roots);
  expect(serving.capabilities).toEqual({ roots: {} });
  expect(await listed(serving)).toEqual(expected);
});

test('of a home that is a work tree itself only the folder in use is told', async () => {
  mkdirSync(join(base, 'home/me/plain'));
  expect(await listed(serve('home/me/plain'))).toEqual([root('home/me/plain', 'plain')]);
});

test('a home that is itself behind a link is not told either', async () => {
  const home = join(base, 'link-to-home');
  const context = openContext({ cwd: join(base, HOME), env: { HOME: home }, platform: 'linux' });
  expect(await listed(rootsFeature({ context }))).toEqual([]);
});

test('where no home is known nobody is told of all there is', async () => {
  const places = { home: undefined, config: undefined, state: undefined, cache: undefined };
  const context = { projectRoot: '/', cwd: '/', places } as unknown as RootsOptions['context'];
  expect(await listed(rootsFeature({ context, roots: ['/', base, '~'] }))).toEqual([root('', basename(base))]);
  expect(await listed(rootsFeature({ context }))).toEqual([]);
});

test('a folder that another user owns is not told', async () => {
  const owned = join(base, 'theirs');
  mkdirSync(owned);
  if (process.getuid?.() === 0) chownSync(owned, 4711, 4711);
  const context = openContext({ cwd: owned, env: { HOME: join(base, HOME) }, platform: 'linux' });
  const uid = statSync(owned).uid;
  expect(await listed(rootsFeature({ context, uid: uid + 1 }))).toEqual([]);
  expect(await listed(rootsFeature({ context, uid }))).toEqual([root('theirs', 'theirs')]);
  expect(await listed(rootsFeature({ context, uid: 0 }))).toEqual([root('theirs', 'theirs')]);
});

test('a server whose entry says so hears nothing of roots', () => {
  expect(serve('home/me/pro ject', false)).toEqual({});
});

const handler = (): object => ({});

test('parts of what a host serves become one, extensions included', () => {
  const merged = mergeClientFeatures([
    { capabilities: { extensions: { a: {} } } },
    undefined,
    { capabilities: { extensions: { b: {} }, roots: {} }, handlers: { 'roots/list': handler } },
  ]);
  expect(merged).toEqual({
    capabilities: { extensions: { a: {}, b: {} }, roots: {} },
    handlers: { 'roots/list': handler },
  });
});

test.each([
  ['a modern server gets them in return for a call', askingModern([{ method: 'roots/list' }])],
  ['an old one when it asks', new AskingLegacy([{ method: 'roots/list' }])],
])('%s', async (_, server) => {
  await using connection = await meetAsking(server, serve('home/me/pro ject'));
  expect(JSON.parse(await callText(connection))).toEqual([{ roots: [root('home/me/pro ject', 'pro ject')] }]);
});

test('the folders of a project are found once for all servers, and again for another project', async () => {
  const project = new ProjectRoots();
  const folder = join(base, 'moving');
  mkdirSync(join(folder, 'first'), { recursive: true });
  mkdirSync(join(folder, 'second'));
  const link = join(folder, 'link');
  symlinkSync(join(folder, 'first'), link);
  const open = () => openContext({ cwd: link, env: { HOME: join(base, HOME) }, platform: 'linux' });
  const context = open();
  const first = [root('moving/first', 'first')];
  expect(await listed(rootsFeature({ context, project }))).toEqual(first);
  rmSync(link);
  symlinkSync(join(folder, 'second'), link);
  // A server of the same configuration is told what the others were told, wherever the link leads now.
  expect(await listed(rootsFeature({ context, project }))).toEqual(first);
  expect(await listed(rootsFeature({ context, project, roots: [join(folder, 'second')] }))).toEqual([
    root('moving/second', 'second'),
  ]);
  expect(await listed(rootsFeature({ context: open(), project }))).toEqual([root('moving/second', 'second')]);
});
