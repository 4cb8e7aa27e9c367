import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AnthropicTurn, anthropicDialect } from '../../../test/fixtures/anthropic-dialect.js';
import { openScriptedApi, type Reply, type ScriptedApi } from '../../../test/fixtures/scripted-api.js';
import { openScene, type Scene } from '../../../test/host/scene.js';
import { loadHostConfig } from '../../config/load.js';
import type { Outcome } from '../verb.js';
import { FakeScreen } from '../../../test/session/fake-screen.js';
import { converse } from './run-session.js';
import { fakeIo, NO_FLAGS } from '../../../test/session/session-scene.js';

let scene: Scene;
let screen: FakeScreen;
beforeEach(() => {
  scene = openScene();
  screen = new FakeScreen();
});
afterEach(() => scene[Symbol.asyncDispose]());

const say = (text: string): AnthropicTurn => [{ type: 'text', text }];
const use = (name: string, input: object = {}): AnthropicTurn => [
  { type: 'tool_use', id: `toolu_${name}`, name, input },
];

async function begin(script: (turn: number) => Reply<AnthropicTurn>): Promise<{ api: ScriptedApi; outcome: Outcome }> {
  const api = await openScriptedApi(anthropicDialect, script);
  const env = { ...scene.env, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
  const loaded = await loadHostConfig({ cwd: scene.project, env, managedDirectories: [] });
  const flags = { model: undefined, maxTurns: undefined, agents: [], appendSystemPrompt: undefined };
  const io = { ...fakeIo(scene, screen), env };
  try {
    return { api, outcome: await converse({ invocation: NO_FLAGS, io, loaded, flags, screen }) };
  } finally {
    await api[Symbol.asyncDispose]();
  }
}

test('what the user says is answered, and the conversation goes on', async () => {
  screen.entries.push('hello', 'and now?');
  const { api, outcome } = await begin((turn) => say(`answer ${turn}`));
  expect(outcome).toMatchObject({ exitCode: 0 });
  expect(api.refused).toEqual([]);
  expect(screen.text).toMatch(/> hello\n+answer 1\n[\s\S]*> and now\?\n+answer 2\n/u);
  expect(api.requests[1]!['messages']).toHaveLength(3);
});

test('a call is asked about, made after a yes, and its result goes back to the model', async () => {
  scene.configure({ journal: scene.journaling() });
  screen.entries.push('write x');
  screen.keys.push('y');
  const { api } = await begin((turn) => (turn === 1 ? use('mcp__journal__append', { key: 'x' }) : say('done')));
  expect(scene.ran()).toEqual(['append x']);
  expect(screen.text).toContain('The model wants to call "append" of server "journal"');
  expect(screen.text).toContain('done\n');
  expect(JSON.stringify(api.requests[1])).toContain('append x');
});

test('a no with a reason is told to the model, and Escape stops the turn', async () => {
  scene.configure({ journal: scene.journaling() });
  screen.entries.push('write x', 'write y', 'go on');
  screen.keys.push('t', 'escape');
  screen.lines.push('not today');
  const { api } = await begin((turn) =>
    turn === 1 || turn === 3 ? use('mcp__journal__append', { key: 'x' }) : say('ok'),
  );
  expect(scene.ran()).toEqual([]);
  expect(JSON.stringify(api.requests[1])).toContain('not today');
  expect(screen.text).toContain('Stopped.');
  // The conversation goes on.
  expect(api.requests).toHaveLength(4);
  expect(api.refused).toEqual([]);
});

test('a question about a call and one of a server never overlap', async () => {
  scene.configure({
    asker: {
      command: process.execPath,
      args: [resolve(import.meta.dirname, '../../../test/calls/question-server.mjs')],
    },
  });
  const question = {
    message: 'Who are you?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  };
  screen.entries.push('ask me');
  screen.keys.push('y');
  screen.lines.push('Ada', 'y');
  const { api } = await begin((turn) => (turn === 1 ? use('mcp__asker__ask', { question }) : say('done')));
  expect(screen.text).toMatch(/The model wants to call[\s\S]*\[y\][\s\S]*asks you something ─+\n\| Who are you\?/u);
  expect(JSON.stringify(api.requests[1])).toContain('Ada');
});

test('Ctrl-C stops an answer, and words that were never sent come back', async () => {
  screen.entries.push('hello', '/exit');
  const ended = begin((turn) => (turn === 1 ? undefined : say('late')));
  await screen.until(({ text }) => text.includes('> hello'));
  await screen.until(({ zones }) => zones.has('work'));
  screen.interrupt();
  await ended;
  expect(screen.text).toContain('Stopped.');
});

test('a model that refuses the key says what, why and what to do, and the words come back', async () => {
  screen.entries.push('hello');
  await begin(() => ({ mischief: 'refuse', status: 401 }));
  expect(screen.text).toContain('ANTHROPIC_API_KEY');
  expect(screen.text).toContain('Your message is back in the input: Enter sends it again');
  expect(screen.prompts[1]?.draft).toBe('hello');
});

test('always writes the rule into the file that was named, and the next call is not asked about', async () => {
  scene.configure({ journal: scene.journaling() });
  screen.entries.push('write x', 'write y');
  screen.keys.push('a');
  await begin((turn) => (turn % 2 === 1 ? use('mcp__journal__append', { key: `k${turn}` }) : say('ok')));
  expect(scene.ran()).toEqual(['append k1', 'append k3']);
  const folder = join(scene.home, '.config/plugboard/projects');
  const [file = ''] = readdirSync(folder);
  expect(screen.text.replaceAll(/\s+/gu, ' ')).toContain(
    `writes the rule mcp__journal__append to ~/.config/plugboard/projects/${file}`,
  );
  expect(readFileSync(join(folder, file), 'utf8')).toContain('mcp__journal__append');
});

test('a server that comes back in the middle of an answer is told after it', async () => {
  scene.configure({ journal: scene.journaling() });
  let finish!: () => void;
  const gate = new Promise<void>((done) => void (finish = done));
  screen.entries.push('hello', async () => {
    await screen.until(({ text }) => text.includes('journal lost'));
    return '/exit';
  });
  const ended = begin(() => ({ mischief: 'wait', turn: say('one two three four '.repeat(20)), share: 0.7, gate }));
  await screen.until(({ zones }) => zones.has('stream'));
  process.kill(scene.starts()[0]!, 'SIGKILL');
  await screen.until(({ zones }) => zones.get('status')?.[0]?.includes('journal lost') === true);
  expect(screen.text).not.toContain('journal lost');
  finish();
  await ended;
  expect(screen.text).toMatch(/one two three four[\s\S]*journal lost, retry/u);
});
