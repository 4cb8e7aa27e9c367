import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json, ScriptedApi } from '../fixtures/scripted-api.js';
import { call, type PromptScene, promptScene, say, withTools } from './prompt-scene.js';
import type { Run } from './sandbox.js';

/** The texts of the last request's messages. */
function heard({ requests }: ScriptedApi): readonly string[] {
  const messages = requests.at(-1)!['messages'] as readonly Json[];
  return messages.map(({ role, content }) => `${String(role)}: ${JSON.stringify(content)}`);
}

function idOf({ json }: Run): string {
  return json!.data!['sessionId'] as string;
}

/** The session files of the folder. */
function filesOf({ sandbox }: PromptScene): readonly string[] {
  const root = join(sandbox.home, '.local/state/plugboard/sessions');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(root, name));
}

const NOBODY = '22222222-2222-4222-8222-222222222222';

test('--continue goes on with the newest session of the folder, under its id; the model has heard all of it', async () => {
  const scene = await promptScene([
    [call('mcp__t__echo', { text: 'one' })],
    say('It is one.'),
    say('Still one.'),
    say('Fine.'),
  ]);
  const flags = [...withTools(), '--allow', 'mcp__t', '--json'];
  const first = await scene.run(['-p', 'What is it?', ...flags]);
  expect(first.code).toBe(0);
  const second = await scene.run(['-p', 'And now?', '--continue', ...flags]);
  expect(second.json).toMatchObject({ ok: true, data: { result: 'Still one.', sessionId: idOf(first) } });
  const third = await scene.run(['-p', 'Thanks', `--resume=${idOf(first)}`, ...flags]);
  expect(idOf(third)).toBe(idOf(first));
  const all = heard(scene.api).join('\n');
  for (const text of ['What is it?', 'tool_use', 'tool_result', 'It is one.', 'And now?', 'Still one.', 'Thanks']) {
    expect(all.split(text).length).toBeGreaterThan(1);
  }
  expect(scene.api.refused).toEqual([]);
  const [file, ...others] = filesOf(scene);
  expect(others).toEqual([]);
  expect(statSync(file!).mode & 0o777).toBe(0o600);
});

test('a fork goes on in a copy, and the session that it is of stays as it was', async () => {
  const scene = await promptScene([say('One.'), say('Two.'), say('Three.')]);
  const first = await scene.run(['-p', 'Begin', '--json']);
  const before = readFileSync(filesOf(scene)[0]!, 'utf8');
  const fork = await scene.run(['-p', 'Other', '--resume', idOf(first), '--fork-session', '--json']);
  expect(idOf(fork)).not.toBe(idOf(first));
  expect(heard(scene.api)).toHaveLength(3);
  const [one, other] = filesOf(scene).toSorted(
    (a, b) => Number(b.includes(idOf(first))) - Number(a.includes(idOf(first))),
  );
  expect(readFileSync(one!, 'utf8')).toBe(before);
  expect(JSON.parse(readFileSync(other!, 'utf8').split('\n')[0]!)).toMatchObject({ forkedFrom: idOf(first) });
  const named = await scene.run(['-p', 'x', '--continue', '--fork-session', '--session-id', NOBODY, '--json']);
  expect(idOf(named)).toBe(NOBODY);
});

test('--resume-session-at forgets what came after a message', async () => {
  const scene = await promptScene([say('One.'), say('Two.'), say('Three.')]);
  const first = await scene.run(['-p', 'Begin', '--json']);
  await scene.run(['-p', 'Second', '--continue']);
  const lines = readFileSync(filesOf(scene)[0]!, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  const answer = lines.find(({ type }) => type === 'assistant')!['uuid'] as string;
  await scene.run(['-p', 'Instead', '--resume', idOf(first), '--resume-session-at', answer]);
  const all = heard(scene.api);
  expect(all).toHaveLength(3);
  expect(all.join('')).not.toContain('Second');
  const gone = await scene.run(['-p', 'x', '--resume', idOf(first), '--resume-session-at', NOBODY]);
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining(NOBODY) as string });
});

test('--no-session-persistence keeps nothing, and still goes on with what is kept', async () => {
  const scene = await promptScene([say('One.'), say('Two.'), say('Three.')]);
  const nothing = await scene.run(['-p', 'Begin', '--no-session-persistence', '--json']);
  expect(() => filesOf(scene)).toThrow(/ENOENT/u);
  expect(await scene.run(['-p', 'x', '--resume', idOf(nothing)])).toMatchObject({ code: 1 });
  await scene.run(['-p', 'Kept']);
  const before = readFileSync(filesOf(scene)[0]!, 'utf8');
  await scene.run(['-p', 'On', '--continue', '--no-session-persistence']);
  expect(heard(scene.api)).toHaveLength(3);
  expect(readFileSync(filesOf(scene)[0]!, 'utf8')).toBe(before);
});

test.each<[string, readonly string[], number, RegExp]>([
  ['an unknown id', ['--resume', NOBODY], 1, /No conversation found with session ID: 2222/u],
  ['an id that is none', ['--resume', '../../etc/passwd'], 1, /No conversation found with session ID: \.\.\/\.\./u],
  ['nothing to continue', ['--continue'], 1, /No conversation found to continue/u],
  ['nobody to pick', ['--resume'], 2, /--resume needs the ID of a session/u],
  ['both', ['--resume', NOBODY, '--continue'], 2, /contradict/u],
  ['a fork of nothing', ['--fork-session'], 2, /--fork-session needs --continue or --resume/u],
  ['an id that is no UUID', ['--session-id', 'mine'], 2, /--session-id must be a UUID, got mine/u],
  ['another id for the same session', ['--continue', '--session-id', NOBODY], 2, /needs --fork-session/u],
])('%s is told, and no model is asked', async (_, flags, code, text) => {
  const scene = await promptScene([say('One.')]);
  const run = await scene.run(['-p', 'x', ...flags]);
  expect(run).toMatchObject({ code, stdout: '' });
  expect(run.stderr).toMatch(text);
  expect(scene.api.requests).toEqual([]);
});

test('an id that is taken is refused; a session of another folder is named with its folder', async () => {
  const scene = await promptScene([say('One.'), say('Two.')]);
  expect(await scene.run(['-p', 'x', '--session-id', NOBODY])).toMatchObject({ code: 0 });
  const taken = await scene.run(['-p', 'x', '--session-id', NOBODY]);
  expect(taken).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Session ID ${NOBODY} is already in use.`) as string,
  });
  const other = join(scene.sandbox.home, 'other');
  mkdirSync(other);
  const elsewhere = await scene.run(['-p', 'x', '--resume', NOBODY, '--cwd', other]);
  expect(elsewhere.stderr).toMatch(/It was held in another folder: cd PROJECT/u);
});

test('with stream-json an unknown session is a result line, and the exit code is not 0', async () => {
  const scene = await promptScene([say('One.')]);
  const run = await scene.run(['-p', 'x', '--output-format', 'stream-json', `--resume=${NOBODY}`]);
  expect(run.code).toBe(1);
  const line = JSON.parse(run.stdout) as Json;
  expect(JSON.stringify(line)).toContain(`No conversation found with session ID: ${NOBODY}`);
});

test('where sessions cannot be kept the user is told once, and the session goes on', async () => {
  const scene = await promptScene([say('One.')], { 'home/.local/state/plugboard/sessions': 'not a folder' });
  const run = await scene.run(['-p', 'x']);
  expect(run).toMatchObject({ code: 0, stdout: 'One.\n' });
  expect(run.stderr.match(/This session is not kept/gu)).toHaveLength(1);
});
