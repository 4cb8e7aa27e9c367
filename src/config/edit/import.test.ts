import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openContext } from '../context.js';
import { findImports, type ImportOptions, type ImportSource } from './import.js';

let home: string;
let project: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-import-')));
  project = join(home, 'work', 'app');
  mkdirSync(join(project, '.git'), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const find = (options: ImportOptions = {}, env: Record<string, string> = {}): Promise<readonly ImportSource[]> =>
  findImports(openContext({ cwd: project, env: { HOME: home, ...env }, platform: 'linux' }), options);

const serversIn = (sources: readonly ImportSource[]): readonly string[] =>
  sources.flatMap(({ host, entries }) => entries.map(({ name, scope }) => `${host} ${name} ${scope}`));

test('every host that is there is found, and a broken file takes none of the others with it', async () => {
  write(
    '.claude.json',
    `{ "mcpServers": { "a": { "command": "a" } }, "projects": { "${project}": { "mcpServers": { "b": { "command": "b" } } } } }`,
  );
  write('.cursor/mcp.json', '{ "mcpServers": { "c": \n oops } }');
  write('work/app/.vscode/mcp.json', '{ /* x */ "servers": { "d": { "url": "https://d.example" } } }');
  write('.codex/config.toml', '[mcp_servers.e]\ncommand = "e"\n');
  write('.config/goose/config.yaml', 'extensions:\n  f:\n    type: stdio\n    cmd: f\n');
  write('work/app/.codex/config.toml', 'half = [');
  const sources = await find();
  expect(serversIn(sources)).toEqual([
    'claude-code a user',
    'claude-code b local',
    'vscode d project',
    'codex e user',
    'goose f user',
  ]);
  expect(sources.flatMap(({ problems }) => problems)).toMatchObject([
    { file: join(home, '.cursor/mcp.json'), line: 2, code: 'malformed' },
    { file: join(project, '.codex/config.toml'), line: 1, code: 'malformed' },
  ]);
});

test('an entry tells its line, and what is of no use here without being lost', async () => {
  const file = write(
    '.claude.json',
    `{\n "mcpServers": {\n  // first\n  "a": { "command": "a", "colour": "red" },\n  "b":\n   { "command": "b" }\n },\n "projects": { "${project}": {\n  "disabledMcpServers": ["b"],\n  "enabledMcpjsonServers": ["m"] } }\n}`,
  );
  const [source] = await find({ hosts: ['claude-code'] });
  expect(source).toMatchObject({
    host: 'claude-code',
    title: 'Claude Code',
    file,
    level: 'user',
    entries: [
      {
        name: 'a',
        line: 4,
        entry: { command: 'a', colour: 'red' },
        lost: [],
        notes: ['"colour" is kept, but ignored'],
      },
      {
        name: 'b',
        line: 5,
        entry: { command: 'b' },
        lost: [],
        notes: [expect.stringContaining('disables it in this project')],
      },
    ],
    problems: [{ severity: 'warning', code: 'ignored-field', line: 10 }],
  });
});

test('a file of up to 16 MB is read, and a larger one is named with its size', async () => {
  const history = 'x'.repeat(15_000_000);
  const file = write('.claude.json', `{ "history": "${history}", "mcpServers": { "a": { "command": "a" } } }`);
  expect(serversIn(await find())).toEqual(['claude-code a user']);
  truncateSync(file, 16_000_001);
  const [source] = await find();
  expect(source).toMatchObject({
    entries: [],
    problems: [{ severity: 'error', file, message: expect.stringContaining('16000001') }],
  });
});

test('a file that a repository brings along may be no larger than one of ours', async () => {
  const file = write('work/app/.cursor/mcp.json', `{ "x": "${'x'.repeat(1_000_000)}" }`);
  expect(await find()).toMatchObject([{ level: 'project', problems: [{ file, code: 'unreadable' }] }]);
});

test('a folder in place of a file, or a link to nowhere, stops nothing', async () => {
  mkdirSync(join(home, '.claude.json'));
  symlinkSync(join(home, 'nowhere'), join(home, '.codex'));
  write('.gemini/settings.json', '{ "mcpServers": { "g": { "command": "g" } } }');
  const sources = await find();
  expect(serversIn(sources)).toEqual(['gemini g user']);
  expect(sources.flatMap(({ problems }) => problems)).toMatchObject([
    { file: join(home, '.claude.json'), code: 'unreadable' },
  ]);
});

test('a variable that leads into the project makes no file of it more trusted', async () => {
  write('work/app/.codex/config.toml', '[mcp_servers.x]\ncommand = "x"\n');
  expect(serversIn(await find({}, { CODEX_HOME: join(project, '.codex') }))).toEqual(['codex x project']);
});

test('a file can be named, for one host or for whoever finds servers in it', async () => {
  const file = write('saved/mcp.json', '{ "servers": { "v": { "command": "v" } } }');
  expect(serversIn(await find({ hosts: ['vscode'], file }))).toEqual(['vscode v user']);
  expect(serversIn(await find({ file }))).toEqual(['vscode v user']);
  const saved = write('saved/export.toml', '[mcp_servers.t]\ncommand = "t"\n');
  expect(serversIn(await find({ file: saved }))).toEqual(['codex t user']);
  expect(await find({ file: 'nowhere.yml' })).toMatchObject([{ problems: [{ message: 'does not exist' }] }]);
  expect(serversIn(await find({ hosts: ['cursor'], file }))).toEqual([]);
  write('work/app/own/mcp.json', '{ "servers": { "w": { "command": "w" } } }');
  expect(serversIn(await find({ hosts: ['vscode'], file: 'own/mcp.json' }))).toEqual(['vscode w project']);
  expect(await find({ hosts: ['vscode'], file: 'nowhere.json' })).toMatchObject([
    { entries: [], problems: [{ severity: 'error', file: join(project, 'nowhere.json'), message: 'does not exist' }] },
  ]);
});

test('a mistyped host is told the one that was meant', async () => {
  expect(await find({ hosts: ['claud-code'] })).toMatchObject([
    { entries: [], problems: [{ code: 'bad-argument', hint: 'Did you mean "claude-code"?' }] },
  ]);
});
