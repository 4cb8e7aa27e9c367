import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HANG_GUARD_MS } from './hang-guard.js';

const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gmsu)].map(([, language, code]) => ({
  language: language!,
  code: code!,
}));

/** What a reader has who follows the README from top to bottom: an empty home and a project. */
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-readme-')));
const project = join(folder, 'project');
const env: Record<string, string> = {
  PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
  HOME: join(folder, 'home'),
  MCP_TIMEOUT: String(HANG_GUARD_MS),
  // Some servers of the README do not exist. This dead proxy makes them fail at once.
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ANTHROPIC_API_KEY: 'a-key',
};
for (const made of [join(folder, 'home'), join(folder, 'bin'), join(project, '.git'), join(project, 'node_modules')])
  mkdirSync(made, { recursive: true });
symlinkSync(root, join(project, 'node_modules/plugboard'));
// The packages that npx would fetch are installed already, and the program is on the PATH as `npm link` puts it there.
symlinkSync(join(root, 'node_modules/@modelcontextprotocol'), join(project, 'node_modules/@modelcontextprotocol'));
symlinkSync(join(root, 'node_modules/.bin'), join(project, 'node_modules/.bin'));
symlinkSync(join(root, 'dist/plugboard.js'), join(folder, 'bin/plugboard'));
// npx takes longer than all the rest, so only the full run uses it. This does the same for an installed package.
const INSTALLED_ONLY = `#!/bin/sh
shift; program="node_modules/.bin/mcp-\${1##*/}"; shift
[ -e "$program" ] && exec "$program" "$@"
echo "npm error 404 Not Found" >&2; exit 1
`;
if (process.env['PLUGBOARD_FULL'] === undefined)
  writeFileSync(join(folder, 'bin/npx'), INSTALLED_ONLY, { mode: 0o755 });
let api: ChildProcess | undefined;
/** A model with one answer, as a separate process, because the commands here run synchronously. */
beforeAll(async () => {
  const script = join(folder, 'turns.json');
  writeFileSync(script, JSON.stringify([[{ type: 'text', text: ANSWER }]]));
  api = spawn(process.execPath, [join(root, 'test/fixtures/model-server.mjs'), '--script', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  env['ANTHROPIC_BASE_URL'] = await new Promise<string>((done) => {
    api!.stdout!.once('data', (line: Buffer) => done(String(line).trim()));
  });
});
afterAll(() => {
  api?.kill();
  rmSync(folder, { recursive: true, force: true });
});
const ANSWER = 'Bread and coffee.';

function runShell(line: string): void {
  const [command, ...words] = line.match(/'[^']*'|\S+/gu)!.map((word) => word.replace(/^'(.*)'$/u, '$1'));
  if (command === 'npm') {
    const scripts = (
      JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
    ).scripts;
    expect(scripts).toHaveProperty([words.at(-1)!]);
    return;
  }
  expect(command).toBe('plugboard');
  const run = spawnSync(process.execPath, [join(root, 'dist/plugboard.js'), ...words], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
  // `doctor` reports programs that are not installed here, which is its result and not a failure.
  const isDone = run.status === 0 || (run.status === 3 && words[0] === 'doctor');
  expect(isDone ? '' : `${line}\n${run.stdout}${run.stderr}`).toBe('');
}

const checks: Record<string, (code: string) => void> = {
  sh: (code) => code.trim().split('\n').forEach(runShell),
  json: (code) => {
    writeFileSync(join(project, '.mcp.json'), code);
    const text = execFileSync(process.execPath, [join(root, 'dist/plugboard.js'), 'list', '--json'], {
      cwd: project,
      env,
      encoding: 'utf8',
    });
    const { data } = JSON.parse(text) as { data: { problems: unknown[]; servers: { scope: string }[] } };
    expect(data.problems).toEqual([]);
    const { mcpServers } = JSON.parse(code) as { mcpServers: object };
    const named = Object.keys(mcpServers);
    expect(data.servers.filter(({ scope }) => scope === 'project')).toHaveLength(named.length);
  },
  ts: (code) => {
    const at = compileExamples().indexOf(code);
    const printed = execFileSync(process.execPath, [`example-${at}.js`], { cwd: project, env, encoding: 'utf8' });
    expect(printed).toContain(code.includes('Conversation') ? `done ${ANSWER}` : 'db unapproved');
  },
};

let examples: readonly string[] | undefined;

/** Compiles all TypeScript examples of the README in one run. */
function compileExamples(): readonly string[] {
  if (examples) return examples;
  examples = blocks.filter(({ language }) => language === 'ts').map(({ code }) => code);
  for (const [at, code] of examples.entries()) writeFileSync(join(project, `example-${at}.ts`), code);
  const config = {
    compilerOptions: {
      module: 'NodeNext',
      target: 'ES2022',
      strict: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    },
    files: examples.map((_, at) => `example-${at}.ts`),
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  const compiled = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
  expect(compiled.stdout).toBe('');
  return examples;
}

function checkBlock(language: string, code: string): void {
  checks[language]!(code);
}

test('the page has the blocks that a new user starts from', () => {
  expect(blocks.map(({ language }) => language)).toEqual([
    'sh',
    'sh',
    'sh',
    'sh',
    'json',
    'sh',
    'json',
    'sh',
    'json',
    'sh',
    'sh',
    'ts',
    'ts',
    'sh',
  ]);
});

test.each(blocks)('$language block: $code', ({ language, code }) => {
  checkBlock(language, code);
});

test('every file that the page links to is there', () => {
  const links = [...readme.matchAll(/\]\(([^)#]+)\)/gu)]
    .map(([, target]) => target!)
    .filter((target) => !target.includes('://'));
  expect(links.length).toBeGreaterThan(4);
  expect(links.filter((target) => !existsSync(join(root, target)))).toEqual([]);
});
