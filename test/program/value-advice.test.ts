import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { AdviceEdit, AdviceStep, ServerValue, ValueReport } from '../../src/model/value/server-value.js';
import type { Json } from '../fixtures/scripted-api.js';
import { call, type PromptScene, say } from './prompt-scene.js';
import { talk } from './stream-talk.js';
import { PROJECT_FILE, USER_FILE } from './sandbox.js';

/** A server with six tools. `how`: value-server.mjs says what it takes. */
const walking = (more: Json = {}, how: Json = {}): Json => ({
  command: process.execPath,
  args: [join(import.meta.dirname, 'value-server.mjs'), JSON.stringify(how)],
  ...more,
});

/** The file of the user, written as people do: a line for each field. */
function filesOf(servers: Json, settings: Json = {}): Readonly<Record<string, unknown>> {
  return { [USER_FILE]: { mcpServers: servers, settings: { permissions: { allow: ['mcp__*'] }, ...settings } } };
}

/** A conversation of 21 requests to the model, one of which calls a tool. */
async function converse(
  files: Readonly<Record<string, unknown>>,
  calls: readonly Json[],
  args: readonly string[] = [],
): Promise<PromptScene> {
  const { user, result, end, scene } = await talk(
    (turn) => (turn <= calls.length ? [calls[turn - 1]!] : say('yes')),
    args,
    {},
    files,
  );
  for (let turn = 1; turn <= 21 - calls.length; turn++) {
    user(`message ${turn}`);
    await result(turn);
  }
  await end();
  return scene;
}

const CALL = [call('mcp__used__first', { text: 'x' })];

async function valueOf({ run }: PromptScene, args: readonly string[] = []): Promise<ValueReport> {
  const { json } = await run(['value', '--json', ...args], { now: new Date() });
  return json!.data as unknown as ValueReport;
}

const serverOf = ({ servers }: ValueReport, name: string): ServerValue => servers.find((one) => one.name === name)!;

/** What the model reads of tools and servers in a request: definitions that it has to search for are not among it. */
function shownTokens({ tools, system }: Json, server = ''): number {
  const shown = (tools as readonly Json[]).filter((tool) => tool['defer_loading'] !== true);
  const own = shown.filter(({ name }) => String(name).startsWith(server === '' ? 'mcp__' : `mcp__${server}__`));
  const sizes = own.map((tool) => Math.ceil(JSON.stringify({ ...tool, cache_control: undefined }).length / 4));
  const text = server === '' ? JSON.stringify(system ?? '').length / 4 : 0;
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) + text);
}

/** Writes the line where the advice says, as a person would with an editor. */
function write({ file, line, path, write: field = '', remove, isNewFile }: AdviceEdit, { sandbox }: PromptScene): void {
  const local = sandbox.home + '/.config/plugboard/projects/' + hashOf(sandbox.project);
  const place = file.replace('LOCAL', local).replace(/^HOME/u, sandbox.home);
  if (isNewFile === true) {
    mkdirSync(dirname(place), { recursive: true });
    return writeFileSync(place, `{ ${field} }`);
  }
  const lines = readFileSync(place, 'utf8').split('\n');
  const at = line === undefined ? 0 : line - 1;
  const key = remove?.slice(1, -1) ?? path.split('.').at(-1)!;
  expect(lines[at]).toContain(path === '' ? '{' : `"${key}"`);
  const text = lines[at]!;
  lines[at] = remove === undefined ? text.replace('{', `{\n${field},`) : text.replace(/"\w+": [^,]*,?/u, '');
  // A person would not leave a comma before a bracket.
  writeFileSync(place, lines.join('\n').replaceAll(/,(\s*\})/gu, '$1'));
}

const hashOf = (project: string): string => `${createHash('sha256').update(project).digest('hex').slice(0, 32)}.json`;

/** The tokens of a turn that the step takes away, as it says and as the next conversation shows. */
async function follow(
  scene: PromptScene,
  name: string,
  kind: AdviceStep['kind'],
  args: readonly string[] = [],
): Promise<[said: number, done: number]> {
  const { advice } = serverOf(await valueOf(scene, args), name);
  const step = advice!.steps.find((one) => one.kind === kind)!;
  expect(step.edits.length).toBeGreaterThan(0);
  const before = shownTokens(scene.api.requests.at(-1)!);
  for (const edit of step.edits) write(edit, scene);
  // What was written is not advised again, also before the next turn.
  expect(serverOf(await valueOf(scene, args), name).advice).toBeUndefined();
  const { code, stderr } = await scene.run(['-p', 'again', ...args]);
  expect([code, stderr]).toEqual([0, '']);
  return [step.saves, before - shownTokens(scene.api.requests.at(-1)!)];
}

test('the numbers are those of the requests that the model got', async () => {
  const servers = { used: walking({}, { instructions: 'Use me well. '.repeat(20) }), idle: walking() };
  const scene = await converse(filesOf(servers), CALL);
  const report = await valueOf(scene);
  expect(report).toMatchObject({ turns: 21, ledger: { lostCalls: 0, lostTurns: 0, unknownTurns: 0, skippedLines: 0 } });
  expect(scene.api.requests).toHaveLength(21);
  for (const name of ['used', 'idle']) {
    const { definitions, instructions, told, toldTurns } = serverOf(report, name);
    expect([name, definitions, toldTurns]).toEqual([name, shownTokens(scene.api.requests[0]!, name), 21]);
    expect(told).toBe(21 * (definitions + instructions));
  }
  expect(serverOf(report, 'used')).toMatchObject({ instructions: 65, calls: 1, errors: 0, results: 1 });
  expect(serverOf(report, 'idle')).toMatchObject({ instructions: 0, calls: 0 });
});

test.each<[what: string, server: string, kind: AdviceStep['kind'], idle: Json, settings: Json]>([
  ['disabling what is never called', 'idle', 'disable', {}, {}],
  ['searching for tools that are never called', 'idle', 'defer', {}, {}],
  ['narrowing a server to the tools that are used', 'used', 'narrow', {}, {}],
  [
    'no longer loading at once, where others are searched for',
    'idle',
    'defer',
    { alwaysLoad: true },
    { contextTokens: 12_000 },
  ],
  ['no longer loading at once, where nothing is searched for yet', 'idle', 'defer', { alwaysLoad: true }, {}],
  [
    'disabling a server without which the tools of others are shown again',
    'idle',
    'disable',
    { alwaysLoad: true },
    { contextTokens: 16_000 },
  ],
])('the line that is advised, written by hand, does what it says: %s', async (_what, name, kind, idle, model) => {
  const settings = 'contextTokens' in model ? { model: { name: 'scripted', ...model } } : {};
  const files = filesOf({ used: walking(), idle: walking(idle) }, settings);
  const scene = await converse(files, CALL);
  const [said, done] = await follow(scene, name, kind);
  expect(said).toBeGreaterThan(0);
  expect(Math.abs(said - done)).toBeLessThanOrEqual(Math.max(12, 0.03 * done));
});

test.each<[what: string, file: string, server: string, kind: AdviceStep['kind']]>([
  ['disabling a server of the repository', PROJECT_FILE, 'idle', 'disable'],
  ['hiding tools of a server of the repository', PROJECT_FILE, 'used', 'narrow'],
  ['searching for tools of a repository', PROJECT_FILE, 'idle', 'defer'],
  ['hiding a server of the administrator', 'etc/managed-mcp.json', 'idle', 'disable'],
])('what somebody else has written is changed in a file of the user, with the same effect: %s', async (...given) => {
  const [, file, name, kind] = given;
  const servers = { mcpServers: { used: walking(), idle: walking() } };
  const rules = { settings: { permissions: { allow: ['mcp__*'] } } };
  const args = ['--approve-project-servers'];
  const scene = await converse({ [file]: servers, [USER_FILE]: rules }, CALL, args);
  const [said, done] = await follow(scene, name, kind, args);
  expect(said).toBeGreaterThan(0);
  expect(Math.abs(said - done)).toBeLessThanOrEqual(Math.max(12, 0.03 * done));
});
