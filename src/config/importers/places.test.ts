import { expect, test } from 'vitest';
import { keyPlaces } from '../../edge/key-places.js';
import { isWithin } from '../../edge/files/path-within.js';
import { findImporter } from '../edit/import.js';
import type { ImportWhere } from './importer.js';
import { importers } from './all.js';
import { where as linux } from './test-case.js';

const mac: ImportWhere = {
  ...linux,
  platform: 'darwin',
  home: '/Users/user',
  cwd: '/Users/user',
  projectRoot: '/Users/user',
};
const windows: ImportWhere = {
  platform: 'win32',
  home: 'C:\\Users\\user',
  env: { APPDATA: 'D:\\Roaming' },
  cwd: 'C:\\app',
  projectRoot: 'C:\\app',
};

function pathsAt(host: string, where: ImportWhere, level: 'user' | 'project'): readonly string[] {
  const files = findImporter(host)!.files(where);
  return files.filter((file) => file.level === level).map(({ path }) => path);
}

const support = '/Users/user/Library/Application Support';
const cline = 'User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';

test.each<[string, ImportWhere, readonly string[]]>([
  ['claude-code', linux, ['/home/user/.claude.json']],
  ['claude-code', { ...linux, env: { CLAUDE_CONFIG_DIR: '/cc' } }, ['/cc/.claude.json']],
  ['claude-desktop', linux, ['/home/user/.config/Claude/claude_desktop_config.json']],
  ['claude-desktop', mac, [`${support}/Claude/claude_desktop_config.json`]],
  ['claude-desktop', windows, ['D:\\Roaming\\Claude\\claude_desktop_config.json']],
  [
    'claude-desktop',
    { ...windows, env: {} },
    ['C:\\Users\\user\\AppData\\Roaming\\Claude\\claude_desktop_config.json'],
  ],
  ['cursor', windows, ['C:\\Users\\user\\.cursor\\mcp.json']],
  ['vscode', linux, ['/home/user/.config/Code/User/mcp.json', '/home/user/.config/Code - Insiders/User/mcp.json']],
  ['vscode', mac, [`${support}/Code/User/mcp.json`, `${support}/Code - Insiders/User/mcp.json`]],
  ['codex', linux, ['/home/user/.codex/config.toml']],
  ['codex', { ...linux, env: { CODEX_HOME: '/etc/cx' } }, ['/etc/cx/config.toml']],
  ['codex', { ...linux, env: { CODEX_HOME: 'relative' } }, ['/home/user/.codex/config.toml']],
  ['gemini', linux, ['/home/user/.gemini/settings.json']],
  [
    'opencode',
    { ...linux, env: { XDG_CONFIG_HOME: '/xdg', OPENCODE_CONFIG: '/o.json' } },
    ['/xdg/opencode/opencode.json', '/xdg/opencode/opencode.jsonc', '/o.json'],
  ],
  ['zed', linux, ['/home/user/.config/zed/settings.json']],
  ['zed', mac, ['/Users/user/.config/zed/settings.json', `${support}/Zed/settings.json`]],
  ['zed', windows, ['D:\\Roaming\\Zed\\settings.json']],
  [
    'windsurf',
    linux,
    ['/home/user/.codeium/windsurf/mcp_config.json', '/home/user/.codeium/windsurf-next/mcp_config.json'],
  ],
  ['goose', mac, ['/Users/user/.config/goose/config.yaml']],
  ['goose', windows, ['D:\\Roaming\\Block\\goose\\config\\config.yaml']],
  [
    'cline',
    mac,
    [
      `${support}/Code/${cline}`,
      `${support}/Code - Insiders/${cline}`,
      '/Users/user/.cline/data/settings/cline_mcp_settings.json',
    ],
  ],
  ['copilot', linux, ['/home/user/.copilot/mcp-config.json']],
])('%s keeps the servers of the user where it says', (host, where, expected) => {
  expect(pathsAt(host, where, 'user')).toEqual(expected);
});

test.each<[string, ImportWhere, readonly string[]]>([
  ['claude-code', linux, []],
  ['cursor', linux, ['/home/user/code/app/web/.cursor/mcp.json', '/home/user/code/app/.cursor/mcp.json']],
  ['vscode', windows, ['C:\\app\\.vscode\\mcp.json']],
  ['codex', { ...linux, cwd: linux.projectRoot }, ['/home/user/code/app/.codex/config.toml']],
  ['copilot', { ...linux, cwd: linux.projectRoot }, ['/home/user/code/app/.github/mcp.json']],
  [
    'opencode',
    { ...linux, cwd: linux.projectRoot, env: { OPENCODE_CONFIG: '/home/user/code/app/o.json' } },
    [
      '/home/user/code/app/o.json',
      '/home/user/code/app/opencode.json',
      '/home/user/code/app/opencode.jsonc',
      '/home/user/code/app/.opencode/opencode.json',
      '/home/user/code/app/.opencode/opencode.jsonc',
    ],
  ],
  ['cursor', mac, []],
])('%s keeps the servers of a project in it, and a home folder is no project', (host, where, expected) => {
  expect(pathsAt(host, where, 'project')).toEqual(expected);
});

test('without a home there are no files of the user, and nothing fails', () => {
  for (const importer of importers) {
    expect(importer.files({ ...linux, home: undefined }).every(({ level }) => level === 'project')).toBe(true);
  }
});

test('no sandbox shows a file of the user that servers are taken over from: it holds their credentials', () => {
  const env = { CODEX_HOME: '/home/user/.a', CLAUDE_CONFIG_DIR: '/home/user/.b', COPILOT_HOME: '/home/user/.c' };
  for (const more of [{}, env, { XDG_CONFIG_HOME: '/srv/config', OPENCODE_CONFIG: '/home/user/oc.json' }]) {
    const where = { ...linux, home: '/home/user', env: { HOME: '/home/user', ...more } };
    const files = importers.flatMap((importer) => importer.files(where).filter(({ level }) => level === 'user'));
    const hidden = keyPlaces(where.env);
    const seen = files.filter(({ path }) => !hidden.some((place) => isWithin(path, place)));
    expect(files.length).toBeGreaterThan(10);
    expect(seen).toEqual([]);
  }
});
