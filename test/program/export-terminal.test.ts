import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, type TestContext } from 'vitest';
import { copyProgram } from './sandbox.js';
import { openTmux, type Tmux } from './tmux.js';

let root: string;
let program: string;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-export-')));
  program = await copyProgram(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const CODEX = '# mine\nmodel = "m"\n';

/** A terminal in a home with one server and a file of Codex; $PB is the program. */
function open(context: TestContext, script: string, columns: number): Tmux & { readonly home: string } {
  const home = mkdtempSync(join(root, 'home-'));
  mkdirSync(join(home, '.config/plugboard'), { recursive: true });
  mkdirSync(join(home, '.codex'));
  const notes = {
    command: process.execPath,
    args: [resolve('demo/servers/notes.mjs')],
    env: { MODE: 'hunter2-secret' },
  };
  writeFileSync(join(home, '.config/plugboard/config.json'), JSON.stringify({ mcpServers: { notes } }));
  writeFileSync(join(home, '.codex/config.toml'), CODEX);
  const env = { PB: `${process.execPath} ${program}`, CODEX_HOME: undefined };
  return { home, ...openTmux(context, { home, cwd: home, script, env, columns }) };
}

test('export shows the difference first, then writes it, and a second export changes nothing', async (context) => {
  const { home, until } = open(context, '$PB export codex --dry-run; $PB export codex; $PB export codex', 40);
  const screen = await until('[ended 0]');
  expect(screen).toContain('notes ○ would be added\n');
  expect(screen).toContain('+MODE = "••••"');
  expect(screen).toContain('notes ✔ added\n');
  expect(screen).toContain('notes ○ already there\n');
  expect(screen).not.toContain('hunter2');
  expect(readFileSync(join(home, '.codex/config.toml'), 'utf8').startsWith(`${CODEX}\n[mcp_servers.notes]\n`)).toBe(
    true,
  );
});

test('a trace goes on until Ctrl-C, which ends it well', async (context) => {
  const { type, until } = open(context, '$PB logs --trace notes -f --trust-folder', 60);
  const shown = await until('← tools/list #');
  expect(shown).not.toContain('Connecting');
  type('C-c');
  expect(await until('[ended 0]')).toContain('notes · closed');
});

test('a report is a file of the user’s own, and doctor --fix says what it did', async (context) => {
  const { home, until } = open(
    context,
    'mkdir -p -m 755 .local/state/plugboard; $PB report --out r.md; $PB doctor --fix --no-connect',
    80,
  );
  const screen = await until('[ended 0]');
  expect(screen).toContain('Nothing was sent. Read the file before you share it');
  expect(screen).toContain('✔ fixed: the folder');
  expect(statSync(join(home, 'r.md')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(home, 'r.md'), 'utf8')).not.toContain('hunter2');
});
