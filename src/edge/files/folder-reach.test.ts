import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { environmentOutside, type FolderReach, leadsInto } from './folder-reach.js';

const repo: FolderReach = { paths: ['/home/me/repo'], isWide: false, settingsFolders: [] };
const home: FolderReach = { paths: ['/home/me'], isWide: true, settingsFolders: [] };

test.each<[string, FolderReach, boolean]>([
  ['/home/me/repo', repo, true],
  ['/home/me/repo/', repo, true],
  ['/home/me/repo/node_modules/.bin', repo, true],
  ['--require /home/me/repo/x.cjs', repo, true],
  ['--require=/home/me/repo/x.cjs', repo, true],
  ['file:///home/me/repo/x', repo, true],
  ['/usr/bin:/home/me/repo/bin', repo, true],
  ['"/home/me/repo"', repo, true],
  ['/home/me/repository', repo, false],
  ['/home/me/repo-two/bin', repo, false],
  ['/mnt/home/me/repo', repo, false],
  ['/home/me', repo, false],
  ['', repo, false],
  ['/home/me', home, true],
  ['/home/me/', home, true],
  ['/home/me/.local/bin', home, false],
  ['/usr/bin:/home/me:/bin', home, true],
  ['/', { paths: ['/'], isWide: true, settingsFolders: [] }, true],
  ['/usr/bin', { paths: ['/'], isWide: true, settingsFolders: [] }, false],
])('whether %j leads into a folder', (text, reach, expected) => {
  expect(leadsInto(text, reach)).toBe(expected);
});

test('an environment keeps what leads elsewhere, and loses what leads in, by a link too, or comes from a project’s .npmrc', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-reach-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'repo');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  symlinkSync(join(folder, 'bin'), join(root, 'link'));
  writeFileSync(join(folder, '.npmrc'), '; a comment\nregistry = http://evil.example\nfetch-retries=9\ncafile[]=x\n');
  const reach: FolderReach = { paths: [folder], isWide: false, settingsFolders: [folder] };
  const env = {
    PATH: `${folder}/bin:/usr/bin:${root}/link:${root}/own`,
    PYTHONPATH: folder,
    NODE_OPTIONS: `--require ${folder}/x.cjs`,
    PWD: folder,
    HOME: root,
    LANG: 'C',
    npm_config_registry: 'http://evil.example',
    NPM_CONFIG_FETCH_RETRIES: '9',
    npm_config_cafile: '/etc/ca',
    npm_command: 'run-script',
    npm_config_proxy: 'http://proxy',
    npm_config_userconfig: `${folder}/.npmrc`,
    GONE: undefined,
  };
  expect(environmentOutside(env, reach)).toEqual({
    PATH: `/usr/bin:${root}/own`,
    PYTHONPATH: '',
    HOME: root,
    LANG: 'C',
    npm_config_cafile: '/etc/ca',
    npm_command: 'run-script',
    npm_config_proxy: 'http://proxy',
  });
});

test('of an .npmrc that cannot be read nothing that npm hands on is believed', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-reach-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, '.npmrc'), 'x'.repeat(1_000_001));
  const reach: FolderReach = { paths: [folder], isWide: false, settingsFolders: [folder] };
  const env = { npm_config_registry: 'http://x', LANG: 'C' };
  expect(environmentOutside({ ...env, npm_command: 'exec' }, reach)).toEqual({ LANG: 'C', npm_command: 'exec' });
  expect(environmentOutside(env, reach)).toEqual(env);
});
