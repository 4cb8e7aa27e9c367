import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ancestorsOf, findProjectRoot, folderToWrite, placesOf, type PlacesOptions } from './directories.js';

const nobody = (): string => {
  throw new Error('ENOENT: no such user');
};

function check(options: Partial<PlacesOptions>, expected: Partial<ReturnType<typeof placesOf>>): void {
  expect(placesOf({ env: {}, platform: 'linux', home: nobody, ...options })).toMatchObject(expected);
}

test('Linux follows the XDG folders', () => {
  const env = {
    HOME: '/home/user',
    XDG_CONFIG_HOME: '/c',
    XDG_STATE_HOME: '/s',
    XDG_CACHE_HOME: '/k',
    XDG_RUNTIME_DIR: '/r',
  };
  check(
    { env },
    {
      home: '/home/user',
      config: '/c/plugboard',
      state: '/s/plugboard',
      cache: '/k/plugboard',
      runtime: '/r/plugboard',
    },
  );
});

test('without XDG variables they are below home, and sockets go to the state folder', () => {
  check(
    { env: { HOME: '/home/user' } },
    {
      config: '/home/user/.config/plugboard',
      state: '/home/user/.local/state/plugboard',
      cache: '/home/user/.cache/plugboard',
      runtime: '/home/user/.local/state/plugboard',
    },
  );
});

test('relative and empty XDG variables are ignored', () => {
  const env = { HOME: '/home/user', XDG_CONFIG_HOME: 'conf', XDG_STATE_HOME: '', XDG_RUNTIME_DIR: './run' };
  check(
    { env },
    {
      config: '/home/user/.config/plugboard',
      state: '/home/user/.local/state/plugboard',
      runtime: '/home/user/.local/state/plugboard',
    },
  );
});

test('macOS and Windows have their own folders', () => {
  check(
    { env: { HOME: '/Users/user' }, platform: 'darwin' },
    {
      config: '/Users/user/Library/Application Support/plugboard',
      state: '/Users/user/Library/Application Support/plugboard/state',
      cache: '/Users/user/Library/Caches/plugboard',
      managed: ['/Library/Application Support/Plugboard', '/Library/Application Support/ClaudeCode'],
    },
  );
  check(
    { env: { APPDATA: 'C:\\Users\\user\\Roaming', USERPROFILE: 'C:\\Users\\user' }, platform: 'win32' },
    {
      config: 'C:\\Users\\user\\Roaming\\plugboard',
      state: 'C:\\Users\\user\\AppData\\Local\\plugboard',
      cache: 'C:\\Users\\user\\AppData\\Local\\plugboard\\cache',
      managed: ['C:\\Program Files\\Plugboard', 'C:\\Program Files\\ClaudeCode'],
    },
  );
});

test('no environment variable moves the folders of the administrator', () => {
  const env = Object.fromEntries(
    ['HOME', 'XDG_CONFIG_DIRS', 'XDG_CONFIG_HOME', 'ProgramFiles', 'PLUGBOARD_MANAGED', 'PREFIX'].map((name) => [
      name,
      '/evil',
    ]),
  );
  check({ env }, { managed: ['/etc/plugboard', '/etc/claude-code'] });
  check({ env, managed: ['/test'] }, { managed: ['/test'] });
});

test('HOME that is empty or relative falls back to what the system knows', () => {
  check({ env: { HOME: '' }, home: () => '/home/user' }, { config: '/home/user/.config/plugboard' });
  check({ env: { HOME: 'user' }, home: () => '/home/user' }, { config: '/home/user/.config/plugboard' });
});

test('without any home reading goes on and writing says what to set', () => {
  const places = placesOf({ env: { XDG_CACHE_HOME: '/k' }, platform: 'linux', home: nobody });
  expect(places).toEqual({
    home: undefined,
    config: undefined,
    state: undefined,
    cache: '/k/plugboard',
    runtime: undefined,
    managed: ['/etc/plugboard', '/etc/claude-code'],
  });
  expect(folderToWrite(places, 'cache')).toBe('/k/plugboard');
  expect(() => folderToWrite(places, 'config')).toThrow(
    expect.objectContaining({ code: 'write-failed', hint: 'Set HOME or XDG_CONFIG_HOME to an absolute path' }),
  );
});

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-directories-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a project is the nearest git work tree, linked ones included', () => {
  mkdirSync(join(folder, 'outer', '.git'), { recursive: true });
  mkdirSync(join(folder, 'outer', 'linked', 'deep'), { recursive: true });
  expect(findProjectRoot(join(folder, 'outer', 'linked', 'deep'))).toBe(join(folder, 'outer'));
  writeFileSync(join(folder, 'outer', 'linked', '.git'), 'gitdir: ../.git/worktrees/linked');
  expect(findProjectRoot(join(folder, 'outer', 'linked', 'deep'))).toBe(join(folder, 'outer', 'linked'));
});

test('a project reached through a symbolic link is the same project', () => {
  mkdirSync(join(folder, 'real', '.git'), { recursive: true });
  symlinkSync(join(folder, 'real'), join(folder, 'alias'));
  expect(findProjectRoot(join(folder, 'alias'))).toBe(join(folder, 'real'));
  expect(ancestorsOf(join(folder, 'alias')).ancestors.slice(0, 2)).toEqual([join(folder, 'real'), folder]);
});

test('ancestors go from the folder itself to the root', () => {
  mkdirSync(join(folder, 'a', 'b'), { recursive: true });
  const { cwd, ancestors, problem } = ancestorsOf(join(folder, 'a', 'b'));
  expect({ cwd, problem }).toEqual({ cwd: join(folder, 'a', 'b'), problem: undefined });
  expect(ancestors.slice(0, 3)).toEqual([join(folder, 'a', 'b'), join(folder, 'a'), folder]);
  expect(ancestors.at(-1)).toBe('/');
  expect(ancestorsOf('/').ancestors).toEqual(['/']);
});

test.each([
  ['missing', 'it does not exist'],
  ['circle', 'its symbolic links lead in a circle'],
  ['file', 'it is not a folder'],
  ['file/below', 'a part of its path is not a folder'],
])('a working folder that is %s has no ancestors, and says why', (name, reason) => {
  symlinkSync('circle', join(folder, 'circle'));
  writeFileSync(join(folder, 'file'), '');
  const path = join(folder, name);
  const { cwd, ancestors, problem } = ancestorsOf(path);
  expect({ cwd, ancestors, code: problem?.code }).toEqual({ cwd: path, ancestors: [], code: 'config-unreadable' });
  expect(problem?.message).toContain(reason);
  expect(findProjectRoot(path)).toBe(path);
});
