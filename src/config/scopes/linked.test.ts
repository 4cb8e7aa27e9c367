import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readBounded } from '../../edge/files/read-file.js';
import { openContext } from '../context.js';
import { readDocument } from '../document.js';
import type { LinkedFile, ScopeReading } from '../scope.js';
import { linked } from './linked.js';

let home: string;
let project: string;
let asked: string[];
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-linked-')));
  project = join(home, 'app', 'web');
  asked = [];
  mkdirSync(join(home, 'app', '.git'), { recursive: true });
  mkdirSync(project);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function read(...links: LinkedFile[]): Promise<ScopeReading> {
  return linked.read({
    context: openContext({ cwd: project, env: { HOME: home }, platform: 'linux' }),
    settings: { pluginDirs: [], links },
    read: (file, options) => (asked.push(file), readDocument(file, options)),
    readText: (file, options) => (asked.push(file), readBounded(file, options)),
    list: () => [],
  });
}

test('without links no file is looked at', async () => {
  expect(await read()).toEqual({ sources: [], problems: [] });
  expect(asked).toEqual([]);
});

test('a file of the user counts as the user, one of the repository needs approval and comes first', async () => {
  const own = write('.cursor/mcp.json', '{\n"mcpServers": {\n"a": { "url": "https://a.example" } } }');
  const theirs = write('app/.cursor/mcp.json', '{ "mcpServers": { "b": { "command": "${userHome}/b" } } }');
  const { sources, problems } = await read({ host: 'cursor' }, { host: 'cursor' });
  expect(sources).toMatchObject([
    { scope: 'linked', origin: theirs, author: 'repository', entries: [{ name: 'b', raw: { command: '${HOME}/b' } }] },
    { scope: 'linked', origin: own, author: 'user', entries: [{ name: 'a', raw: { url: 'https://a.example' } }] },
  ]);
  expect(problems).toEqual([]);
  expect(await sources[1]!.placeOf(['mcpServers', 'a'])).toMatchObject({ line: 3 });
});

test('files that are not there are still asked for, so that they can be watched', async () => {
  await read({ host: 'codex' }, { host: 'goose' });
  expect(asked).toContain(join(home, '.codex/config.toml'));
  expect(asked).toContain(join(project, '.goose/config.yaml'));
});

test('TOML is read live too, and what is lost is a warning that names the server', async () => {
  const file = write('.codex/config.toml', '[mcp_servers.x]\ncommand = "x"\nrequired = true\nfoo = 1\n');
  const { sources, problems } = await read({ host: 'codex' });
  expect(sources).toMatchObject([{ author: 'user', entries: [{ name: 'x', raw: { command: 'x', foo: 1 } }] }]);
  expect(await sources[0]!.placeOf(['mcp_servers', 'x'])).toBeUndefined();
  expect(problems).toMatchObject([{ severity: 'warning', code: 'ignored-field', file, server: 'x' }]);
});

test('a server of this project hides one of the user, and what is off there is off here', async () => {
  const root = join(home, 'app');
  write(
    '.claude.json',
    `{ "mcpServers": { "a": { "command": "everywhere" }, "c": { "command": "c" } }, "projects": { "${root}": {
      "mcpServers": { "a": { "command": "here" } }, "disabledMcpServers": ["c"] } } }`,
  );
  const { sources } = await read({ host: 'claude-code' });
  expect(sources.map(({ entries }) => entries.map(({ name, raw }) => [name, raw]))).toEqual([
    [['a', { command: 'here' }]],
    [
      ['a', { command: 'everywhere' }],
      ['c', { command: 'c', disabled: true }],
    ],
  ]);
});

test('a named file is the user’s, unless it lies in the project', async () => {
  const text = '{ "mcpServers": { "a": { "command": "a" } } }';
  const own = write('dotfiles/mcp.json', text);
  const theirs = write('app/web/tools/mcp.json', text);
  const { sources } = await read({ host: 'cursor', file: own }, { host: 'cursor', file: theirs });
  expect(sources.map(({ author }) => author)).toEqual(['user', 'repository']);
});

test('a named file that is gone and a host that nobody knows are problems', async () => {
  const { problems } = await read({ host: 'cursor', file: join(home, 'gone.json') }, { host: 'curser' });
  expect(problems).toMatchObject([
    { severity: 'warning', file: join(home, 'gone.json') },
    { severity: 'error', field: 'settings.links[1].host', hint: 'Did you mean "cursor"?' },
  ]);
});

test('a broken file is a problem, and the other links still load', async () => {
  write('.codex/config.toml', 'a = \n');
  write('.cursor/mcp.json', '{ "mcpServers": { "a": { "command": "a" } } }');
  const { sources, problems } = await read({ host: 'codex' }, { host: 'cursor' });
  expect(sources).toHaveLength(1);
  expect(problems).toMatchObject([{ severity: 'error', code: 'malformed', line: 1 }]);
});

test('a file above the working directory in a folder that everyone may write to is ignored', async () => {
  const file = write('app/.cursor/mcp.json', '{ "mcpServers": { "a": { "command": "a" } } }');
  chmodSync(dirname(file), 0o777);
  const { sources, problems } = await read({ host: 'cursor' });
  expect(sources).toEqual([]);
  expect(problems).toMatchObject([{ code: 'ignored-file', file }]);
});
