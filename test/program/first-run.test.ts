import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyProgram, LOCK_FILE, makeSandbox, USER_FILE } from './sandbox.js';

const NOTHING =
  'No MCP servers configured. Use `plugboard add` to add a server, or `plugboard import` to import those of another host.\n';
const CLAUDE = 'home/.claude.json';
const CURSOR = 'home/.cursor/mcp.json';
const ZED = 'home/.config/zed/settings.json';
const SHARED = 'home/code/app/.cursor/mcp.json';

/** A server that would leave a file behind if it were started. */
const trap = (file: string): object => ({ command: 'touch', args: [file], env: { API_KEY: 'sk-hunter2hunter2' } });
const others = {
  [CLAUDE]: { mcpServers: { github: trap('/dev/null'), notes: trap('/dev/null') } },
  [CURSOR]: { mcpServers: { github: trap('/dev/null'), docs: { url: 'https://d.example/mcp?token=hunter2' } } },
  [ZED]: { context_servers: { mail: trap('/dev/null') } },
};
const COMMANDS = `  plugboard import --all --link   use them: their files are read live
  plugboard import --all          copy them
  plugboard import                only list them
`;

test('someone without servers hears which ones other hosts have, and nothing is touched', async () => {
  const sandbox = makeSandbox(others);
  const before = sandbox.files();
  const { stdout, stderr, code } = await sandbox.run(['list']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`${NOTHING}Found 4 servers in Claude Code, Cursor and Zed\n${COMMANDS}`);
  const { json } = await sandbox.run(['list', '--json']);
  expect(json).toEqual({
    ok: true,
    data: {
      servers: [],
      problems: [],
      found: [
        { host: 'claude-code', file: 'HOME/.claude.json', servers: ['github', 'notes'] },
        { host: 'cursor', file: 'HOME/.cursor/mcp.json', servers: ['github', 'docs'] },
        { host: 'zed', file: 'HOME/.config/zed/settings.json', servers: ['mail'] },
      ],
    },
  });
  expect(sandbox.files()).toEqual(before);
});

test('files of the repository are told apart', async () => {
  const sandbox = makeSandbox({ ...others, [SHARED]: { mcpServers: { built: { command: 'x' } } } });
  const { stdout } = await sandbox.run(['list']);
  expect(stdout).toContain(
    'Found 5 servers in Claude Code, Cursor and Zed; 1 of them only in files of this repository\n',
  );
  const alone = await makeSandbox({ [SHARED]: { mcpServers: { built: { command: 'x' } } } }).run(['list']);
  // A copy of a repository's server has to be asked for by its file, so that command is not offered.
  expect(alone.stdout).not.toContain('copy them');
});

test('where something is configured, or nothing else may be used, other hosts are not mentioned', async () => {
  const own = makeSandbox({ ...others, [USER_FILE]: { mcpServers: { off: { command: 'x', disabled: true } } } });
  expect((await own.run(['list', '--json'])).json?.data).not.toHaveProperty('found');
  const strict = await makeSandbox(others).run(['list', '--strict-mcp-config', '--mcp-config', '{"mcpServers":{}}']);
  expect(strict.stdout).toBe(NOTHING);
  const broken = await makeSandbox({ ...others, [USER_FILE]: '{ nonsense' }).run(['list']);
  expect(broken.stdout).toBe('No MCP servers could be read.\n');
  const locked = await makeSandbox({ ...others, [LOCK_FILE]: { mcpServers: {} } }).run(['list']);
  expect(locked.stdout).toBe(NOTHING);
});

test('broken, huge and hostile files of other hosts harm nothing, and show no secret', async () => {
  const sandbox = makeSandbox({
    [CLAUDE]: `{ "mcpServers": { "a": { "command": "x", "env": { "KEY": "hunter2" } }, ]`,
    [CURSOR]: JSON.stringify({ mcpServers: { '\u001B[2Jevil\nname': { command: 'x' }, fine: { command: 'hunter2' } } }),
    [ZED]: `{ "context_servers": ${'['.repeat(100_000)}`,
    'home/.codex/config.toml': 'x'.repeat(17_000_000),
    'home/.codeium/windsurf/mcp_config.json': '{ "mcpServers": 7 }',
  });
  mkdirSync(join(sandbox.home, '.gemini'));
  execFileSync('mkfifo', [join(sandbox.home, '.gemini/settings.json')]);
  mkdirSync(join(sandbox.home, '.copilot'));
  symlinkSync('/dev/zero', join(sandbox.home, '.copilot/mcp-config.json'));
  const { stdout, code } = await sandbox.run(['list']);
  expect(code).toBe(0);
  for (const text of ['hunter2', '\u001B']) expect(stdout).not.toContain(text);
  expect(stdout).toContain('Found 2 servers in Cursor\n');
  for (const title of ['Claude Code', 'Zed', 'Codex', 'Gemini CLI', 'Windsurf', 'GitHub Copilot CLI']) {
    expect(stdout).toContain(`A file of ${title} could not be read: plugboard import shows why\n`);
  }
});

/** Every file and folder below, with its size and time. */
function seen(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => [name, statSync(join(folder, name)).mtimeMs].join(' '));
}

test('without a terminal the program starts nothing and writes nothing but its own compiled code', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-first-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const program = await copyProgram(root);
  const sandbox = makeSandbox({}, { isTrusted: false });
  const trace = join(sandbox.home, 'started');
  for (const [file, content] of Object.entries({
    [CLAUDE]: { mcpServers: { github: trap(trace) } },
    [CURSOR]: { mcpServers: { docs: trap(trace) } },
    [ZED]: { context_servers: { mail: trap(trace) } },
  })) {
    sandbox.write(file, content);
  }
  const before = seen(sandbox.home);
  for (const args of [[], ['list'], ['list', '--json']]) {
    // The compiled code goes to the cache folder, which is elsewhere here.
    const env = { PATH: process.env['PATH'], HOME: sandbox.home, XDG_CACHE_HOME: join(root, 'cache') };
    const run = spawnSync(process.execPath, [program, ...args], { cwd: sandbox.project, env, encoding: 'utf8' });
    expect([run.status, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toContain(args.includes('--json') ? '"found":[{' : `${NOTHING}Found 3 servers in Claude Code,`);
  }
  expect(seen(sandbox.home)).toEqual(before);
  expect(readdirSync(join(root, 'cache/plugboard'))).toEqual(['code']);
});
