import { expect, test } from 'vitest';
import { findImporter } from '../import.js';
import type { ImportWhere } from './importer.js';
import { importers } from './all.js';
import { where as linux } from './test-case.js';

const mac: ImportWhere = {
  ...linux,
  platform: 'darwin',
  home: '/Users/ada',
  cwd: '/Users/ada',
  projectRoot: '/Users/ada',
};
const windows: ImportWhere = {
  platform: 'win32',
  home: 'C:\\Users\\ada',
  env: { APPDATA: 'D:\\Roaming' },
  cwd: 'C:\\app',
  projectRoot: 'C:\\app',
};

function pathsAt(host: string, where: ImportWhere, level: 'user' | 'project'): readonly string[] {
  const files = findImporter(host)!.files(where);
  return files.filter((file) => file.level === level).map(({ path }) => path);
}

const support = '/Users/ada/Library/Application Support';
const cline = 'User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';

test.each<[string, ImportWhere, readonly string[]]>([
  ['claude-code', linux, ['/home/ada/.claude.json']],
  ['claude-code', { ...linux, env: { CLAUDE_CONFIG_DIR: '/cc' } }, ['/cc/.claude.json']],
  ['claude-desktop', linux, ['/home/ada/.config/Claude/claude_desktop_config.json']],
  ['claude-desktop', mac, [`${support}/Claude/claude_desktop_config.json`]],
  ['claude-desktop', windows, ['D:\\Roaming\\Claude\\claude_desktop_config.json']],
  ['claude-desktop', { ...windows, env: {} }, ['C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json']],
  ['cursor', windows, ['C:\\Users\\ada\\.cursor\\mcp.json']],
  ['vscode', linux, ['/home/ada/.config/Code/User/mcp.json', '/home/ada/.config/Code - Insiders/User/mcp.json']],
  ['vscode', mac, [`${support}/Code/User/mcp.json`, `${support}/Code - Insiders/User/mcp.json`]],
  ['codex', linux, ['/home/ada/.codex/config.toml']],
  ['codex', { ...linux, env: { CODEX_HOME: '/etc/cx' } }, ['/etc/cx/config.toml']],
  ['codex', { ...linux, env: { CODEX_HOME: 'relative' } }, ['/home/ada/.codex/config.toml']],
  ['gemini', linux, ['/home/ada/.gemini/settings.json']],
  [
    'opencode',
    { ...linux, env: { XDG_CONFIG_HOME: '/xdg', OPENCODE_CONFIG: '/o.json' } },
    ['/xdg/opencode/opencode.json', '/xdg/opencode/opencode.jsonc', '/o.json'],
  ],
  ['zed', linux, ['/home/ada/.config/zed/settings.json']],
  ['zed', mac, ['/Users/ada/.config/zed/settings.json', `${support}/Zed/settings.json`]],
  ['zed', windows, ['D:\\Roaming\\Zed\\settings.json']],
  [
    'windsurf',
    linux,
    ['/home/ada/.codeium/windsurf/mcp_config.json', '/home/ada/.codeium/windsurf-next/mcp_config.json'],
  ],
  ['goose', mac, ['/Users/ada/.config/goose/config.yaml']],
  ['goose', windows, ['D:\\Roaming\\Block\\goose\\config\\config.yaml']],
  [
    'cline',
    mac,
    [
      `${support}/Code/${cline}`,
      `${support}/Code - Insiders/${cline}`,
      '/Users/ada/.cline/data/settings/cline_mcp_settings.json',
    ],
  ],
  ['copilot', linux, ['/home/ada/.copilot/mcp-config.json']],
])('%s keeps the servers of the user where it says', (host, where, expected) => {
  expect(pathsAt(host, where, 'user')).toEqual(expected);
});

test.each<[string, ImportWhere, readonly string[]]>([
  ['claude-code', linux, []],
  ['cursor', linux, ['/home/ada/work/app/web/.cursor/mcp.json', '/home/ada/work/app/.cursor/mcp.json']],
  ['vscode', windows, ['C:\\app\\.vscode\\mcp.json']],
  ['codex', { ...linux, cwd: linux.projectRoot }, ['/home/ada/work/app/.codex/config.toml']],
  ['copilot', { ...linux, cwd: linux.projectRoot }, ['/home/ada/work/app/.github/mcp.json']],
  [
    'opencode',
    { ...linux, cwd: linux.projectRoot, env: { OPENCODE_CONFIG: '/home/ada/work/app/o.json' } },
    [
      '/home/ada/work/app/o.json',
      '/home/ada/work/app/opencode.json',
      '/home/ada/work/app/opencode.jsonc',
      '/home/ada/work/app/.opencode/opencode.json',
      '/home/ada/work/app/.opencode/opencode.jsonc',
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
