import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from 'vitest';
import { HANG_GUARD_MS, untilFound } from '../hang-guard.js';
import { copyProgram } from './sandbox.js';

let root: string;
let program: string;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-terminal-')));
  program = await copyProgram(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Terminal {
  readonly type: (...keys: string[]) => void;
  /** Resolves with the screen when it contains the text. */
  readonly until: (text: string) => Promise<string>;
}

/** A tmux terminal on its own socket. $PLUGBOARD is the program, with one project server that waits for approval. */
function openTerminal(context: TestContext, script: string): Terminal {
  if (spawnSync('tmux', ['-V']).status !== 0) context.skip('tmux is not installed');
  const home = mkdtempSync(join(root, 'home-'));
  const project = join(home, 'app');
  mkdirSync(join(project, '.git'), { recursive: true });
  writeFileSync(join(project, '.mcp.json'), '{ "mcpServers": { "db": { "command": "node", "args": ["db.js"] } } }');
  const env = {
    HOME: home,
    PATH: process.env['PATH'],
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    PLUGBOARD: `${process.execPath} ${program}`,
    MCP_TIMEOUT: String(HANG_GUARD_MS),
  };
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(home, 'tmux'), ...args], { env, encoding: 'utf8' });
  // Ctrl-C must not end the shell, which prints the program's exit code.
  const shown = `trap : INT; ${script}; echo "[ended $?]"; exec sleep 600`;
  tmux('new-session', '-d', '-x', '120', '-y', '40', '-c', project, 'sh', '-c', shown);
  onTestFinished(() => void tmux('kill-server'));
  const capture = (): string => tmux('capture-pane', '-p', '-J');
  return {
    type: (...keys) => void tmux('send-keys', ...keys),
    until(text) {
      const look = (): string | undefined => [capture()].find((screen) => screen.includes(text));
      return untilFound(look, { show: () => `"${text}" on:\n${capture()}`, everyMs: 50 });
    },
  };
}

interface Answer {
  readonly title: string;
  readonly keys: readonly string[];
  readonly told: string;
  readonly code: number;
  readonly status: RegExp;
}

async function check({ keys, told, code, status }: Answer, context: TestContext): Promise<void> {
  const { type, until } = openTerminal(context, '$PLUGBOARD approve; echo "[asked $?]"; $PLUGBOARD list --no-connect');
  const question = await until('Let it run? [y]es, [n]o, [s]kip: ');
  expect(question).toMatch(
    /Server "db" of .*\/app\/\.mcp\.json\n\| {3}"command": "node"\n\| {3}"args":\n\| {5}- "db\.js"\n/u,
  );
  type(...keys);
  const screen = await until('[ended 0]');
  expect(screen).toContain(`[asked ${code}]`);
  expect(screen).toMatch(status);
  expect(screen).toContain(told);
}

const cases: readonly Answer[] = [
  {
    title: 'y approves',
    keys: ['y', 'Enter'],
    told: 'Remembered: db is approved',
    code: 0,
    status: /^• db +configured /mu,
  },
  {
    title: 'n rejects',
    keys: ['n', 'Enter'],
    told: 'Remembered: db is rejected',
    code: 0,
    status: /^✘ db +rejected /mu,
  },
  { title: 'Enter alone skips', keys: ['Enter'], told: 'No choice was made', code: 0, status: /^⏸ db +to approve /mu },
  {
    title: 'Ctrl-C leaves',
    keys: ['C-c'],
    told: 'You left without an answer',
    code: 130,
    status: /^⏸ db +to approve /mu,
  },
  {
    title: 'Ctrl-D leaves',
    keys: ['C-d'],
    told: 'You left without an answer',
    code: 130,
    status: /^⏸ db +to approve /mu,
  },
];

test.for(cases)('on a terminal approve shows the server and asks: $title', check);

test('a terminal that knows no columns shows the same list', async (context) => {
  const { until } = openTerminal(context, 'stty cols 0; $PLUGBOARD list');
  expect(await until('[ended 0]')).toMatch(/^⏸ db {4}to approve {2}stdio {6}project {2}– {13}– {3}– {2}approve$/mu);
});

test('while servers connect one line counts them, and Ctrl-C leaves what is known instead', async (context) => {
  const servers = {
    mcpServers: { never: { command: 'sleep', args: ['600'] }, gone: { command: 'no-such-program' } },
  };
  const { type, until } = openTerminal(
    context,
    `$PLUGBOARD list --strict-mcp-config --mcp-config '${JSON.stringify(servers)}'`,
  );
  await until('Connecting 1/2 ... 1 failed');
  type('C-c');
  const screen = await until('[ended 130]');
  expect(screen).not.toContain('Connecting');
  expect(screen).toMatch(/^… never +pending /mu);
  expect(screen).toMatch(/^✘ gone +failed [^]*"gone" cannot start: there is no program "no-such-program" on PATH$/mu);
});
