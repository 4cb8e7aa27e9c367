import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type LedgerLine, parseLedgerLine } from '../../src/model/ledger-entry.js';
import { call, promptScene, resultOf, say, type PromptScene } from './prompt-scene.js';
import { USER_FILE } from './sandbox.js';
import { talk } from './stream-talk.js';

// A URI from a model or from piped text was not typed by the user: no server gets it without permission.

const LISTED = 'leak://listed';
const OTHER = 'leak://q/AKIA-secret';
const server = (journal: string, script = 'reading-server.mjs'): object => ({
  command: process.execPath,
  args: [resolve(import.meta.dirname, '../calls', script)],
  env: { JOURNAL: journal },
});

interface Reading extends PromptScene {
  /** The URIs that the server was asked for. */
  readonly asked: () => readonly string[];
  readonly ledger: () => readonly LedgerLine[];
}

function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

async function readingScene(
  script: Parameters<typeof promptScene>[0],
  permissions: object = {},
  serverScript?: string,
): Promise<Reading> {
  const scene = await promptScene(script);
  const { sandbox } = scene;
  const journal = join(sandbox.root, 'journal');
  sandbox.write(USER_FILE, { mcpServers: { docs: server(journal, serverScript) }, settings: { permissions } });
  return {
    ...scene,
    asked: () => linesOf(journal),
    ledger: () =>
      linesOf(join(sandbox.home, '.local/state/plugboard/ledger/calls.jsonl')).flatMap(
        (line) => (parseLedgerLine(line) ?? []) as LedgerLine,
      ),
  };
}

const leaking = (uri = OTHER): Parameters<typeof promptScene>[0] => [
  [call('Read', { path: 'notes.txt' }, 'toolu_1')],
  [call('ReadMcpResource', { server: 'docs', uri }, 'toolu_2')],
  say('done'),
];

test.each(['default', 'plan', 'dont-ask', 'auto-read'])(
  'with -p in mode %s what a model has read does not leave in the address of a resource',
  async (mode) => {
    const scene = await readingScene(leaking());
    scene.sandbox.write('home/code/app/notes.txt', 'AKIA-secret\n');
    const { code, stderr } = await scene.run(['-p', 'go', '--permission-mode', mode]);
    expect([code, scene.asked()]).toEqual([5, []]);
    expect(stderr).toContain('mcp__docs__resources is not called');
    expect(scene.ledger()).toMatchObject([
      { tool: 'Read' },
      { tool: 'mcp__docs__resources', server: 'docs', uri: OTHER, decision: 'deny' },
    ]);
  },
);

test('--allow with the name that was told lets it be read', async () => {
  const scene = await readingScene(leaking());
  const { code } = await scene.run(['-p', 'go', '--allow', 'mcp__docs__resources']);
  expect([code, scene.asked()]).toEqual([0, [OTHER]]);
  expect(JSON.stringify(resultOf(scene.api, 'toolu_2'))).toContain(`what stands at ${OTHER}`);
});

test('what the server lists is read without a rule', async () => {
  const scene = await readingScene(leaking(LISTED));
  const { code } = await scene.run(['-p', 'go', '--permission-mode', 'dont-ask']);
  expect([code, scene.asked()]).toEqual([0, [LISTED]]);
});

test('plugboard read is its own approval, in a script and in every mode, and leaves a line', async () => {
  const scene = await readingScene([], { mode: 'dont-ask', ask: ['mcp__docs'] });
  expect(await scene.run(['read', 'docs', OTHER])).toMatchObject({ code: 0, stdout: `what stands at ${OTHER}\n` });
  const filled = await scene.run(['read', 'docs', 'leak://q/{words}', 'words=typed', '--json']);
  expect(filled.json?.data).toMatchObject({ contents: [{ text: 'what stands at leak://q/typed' }] });
  expect(scene.ledger()).toMatchObject([
    { tool: 'mcp__docs__resources', server: 'docs', uri: OTHER, decision: 'allow', rule: 'typed' },
    { uri: 'leak://q/typed', rule: 'typed' },
  ]);
});

test('a prompt that is typed is its own approval, in a script and in every mode, and leaves a line', async () => {
  const rules = { mode: 'dont-ask', ask: ['mcp__docs'] };
  const scene = await readingScene([say('done')], rules, 'offering-server.mjs');
  const told = await scene.run(['prompt', 'docs.say', 'what=AKIA-1', '--json']);
  expect(told.json?.data).toMatchObject({ messages: [{ content: { text: 'say AKIA-1' } }, {}] });
  expect(await scene.run(['-p', '/mcp__docs__plain'])).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(scene.ledger()).toMatchObject([
    { tool: 'mcp__docs__prompts', server: 'docs', prompt: 'say', decision: 'allow', rule: 'typed' },
    { tool: 'mcp__docs__prompts', server: 'docs', prompt: 'plain', decision: 'allow', rule: 'typed' },
  ]);
  expect(JSON.stringify(scene.ledger())).not.toContain('AKIA');
});

test('a prompt is denied by a rule, with 5', async () => {
  const scene = await readingScene([], { deny: ['mcp__docs__prompts'] }, 'offering-server.mjs');
  const { code, stderr } = await scene.run(['prompt', 'docs.plain']);
  expect([code, scene.asked()]).toEqual([5, []]);
  expect(stderr).toContain('plugboard permissions mcp__docs__prompts');
  expect(await scene.run(['-p', '/mcp__docs__plain'])).toMatchObject({ code: 5 });
  expect(scene.ledger()).toMatchObject([{ prompt: 'plain', decision: 'deny' }, { decision: 'deny' }]);
});

test('plugboard read is denied by a rule, with 5', async () => {
  const scene = await readingScene([], { deny: ['mcp__docs__resources'] });
  const { code, stderr } = await scene.run(['read', 'docs', LISTED]);
  expect([code, scene.asked()]).toEqual([5, []]);
  expect(stderr).toContain('plugboard permissions mcp__docs__resources');
});

test('plugboard permissions explains what decides about resources, prompts and sampling of a server', async () => {
  const scene = await readingScene([], {
    allow: ['mcp__docs', 'mcp__docs__resources', 'mcp__docs__sampling'],
    ask: ['mcp__*__prompts'],
  });
  const { stdout, stderr } = await scene.run(['permissions', 'mcp__docs__resources']);
  expect(stdout).toContain('mcp__docs__resources: allowed\n  Why: rule "mcp__docs__resources"');
  expect(stdout).toContain('Resources that the server has listed');
  expect(stderr).toBe('');
  const prompts = await scene.run(['permissions', 'docs.prompts']);
  expect(prompts.stdout).toContain('mcp__docs__prompts: asks you first\n  Why: rule "mcp__*__prompts"');
  expect(prompts.stdout).toContain('A prompt that you type');
  const all = await scene.run(['permissions', '--json']);
  expect(all.json?.data?.['unmatched']).toEqual([]);
  const other = await readingScene([], { allow: ['mcp__docs'] });
  const told = await other.run(['permissions', 'mcp__docs__sampling', '--json']);
  expect(told.json?.data).toMatchObject({ tool: 'mcp__docs__sampling', behavior: 'ask' });
});

const messagesOf = ({ api }: PromptScene): string => JSON.stringify(api.requests[0]?.['messages']);

test('what a piped text mentions is decided like a call of the model, and what is not read is told', async () => {
  const scene = await readingScene([say('ok')]);
  const stdin = `a line from a log: @docs:${OTHER}\nand @docs:${LISTED}`;
  const { code, stderr } = await scene.run(['-p', 'summarise'], { stdin });
  expect([code, scene.asked()]).toEqual([0, [LISTED]]);
  expect(stderr).toContain(`@docs:${OTHER} was not read`);
  expect(stderr).toContain('--allow mcp__docs__resources');
  expect(messagesOf(scene)).toContain(`what stands at ${LISTED}`);
  expect(messagesOf(scene)).toContain(`@docs:${OTHER} was not read`);
  const lines = scene.ledger().toSorted((a, b) => (a.uri! < b.uri! ? -1 : 1));
  expect(lines).toMatchObject([
    { server: 'docs', uri: LISTED, decision: 'allow' },
    { server: 'docs', uri: OTHER, decision: 'deny' },
  ]);
});

test('the words of the command line are typed, in a script too; what is piped behind them is not', async () => {
  const scene = await readingScene([say('ok')], { ask: ['mcp__docs'] });
  const { stderr } = await scene.run(['-p', `look at @docs:${OTHER}`], { stdin: `@docs:${LISTED} @docs:${OTHER}` });
  expect(scene.asked()).toEqual([OTHER]);
  expect(stderr).toContain(`@docs:${LISTED} was not read`);
  expect(scene.ledger()).toMatchObject([
    { uri: OTHER, rule: 'typed' },
    { uri: LISTED, decision: 'deny', rule: 'ask mcp__docs' },
  ]);
});

test('a rule lets a script have what its stdin mentions', async () => {
  const scene = await readingScene([say('ok')]);
  const { code } = await scene.run(['-p', '--allow', 'mcp__docs__resources'], { stdin: `see @docs:${OTHER}` });
  expect([code, scene.asked()]).toEqual([0, [OTHER]]);
});

test('lines of stream-json come by stdin: what they mention is not typed', async () => {
  const journal = join((await promptScene([])).sandbox.root, 'journal');
  const flags = ['--mcp-server', `docs=${JSON.stringify(server(journal))}`];
  const { user, result, end, api } = await talk([say('ok')], flags);
  user(`see @docs:${OTHER} and @docs:${LISTED}`);
  await result(1);
  await end();
  expect(readFileSync(journal, 'utf8')).toBe(`${LISTED}\n`);
  expect(JSON.stringify(api.requests[0]?.['messages'])).toContain(`@docs:${OTHER} was not read`);
});
