import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { programSource } from '../../src/model/source/program-source.js';
import { makeSandbox, type Sandbox } from '../program/sandbox.js';
import { compile, makeProject } from './compile.js';

const BOOLEAN = { type: 'boolean' };
const TEXT = { type: 'string' };

interface Flag {
  readonly flag: string;
  readonly off: string;
  readonly name: string;
}

/** The flags that the program has for a tool with these properties. */
function flagsOf(properties: object): readonly Flag[] {
  const inputSchema = { type: 'object', properties };
  const tool = { name: 'mcp__x__t', tool: 't', description: '', inputSchema, outputSchema: undefined };
  const source = programSource({ name: 'x', entry: undefined, tools: [tool] });
  return [...source.matchAll(/^ {6}(\{ flag: .*\}),$/gmu)].map(
    ([, text = '']) => JSON.parse(text.replaceAll(/(\w+): /gu, '"$1": ').replaceAll("'", '"')) as Flag,
  );
}

test.each<[string, object, Record<string, string>]>([
  ['a switch and its own no-', { x: BOOLEAN, 'no-x': TEXT }, { x: 'x no-x-2', 'no-x': 'no-x' }],
  ['the same in the other order', { 'no-x': TEXT, x: BOOLEAN }, { 'no-x': 'no-x', x: 'x no-x-2' }],
  ['a name that becomes no-x', { noX: TEXT, x: BOOLEAN }, { noX: 'no-x', x: 'x no-x-2' }],
  ['two switches', { x: BOOLEAN, no_x: BOOLEAN }, { x: 'x no-x-2', no_x: 'no-x no-no-x' }],
  [
    'names of the program',
    { help: TEXT, json: BOOLEAN, H: TEXT },
    { help: 'help-2', json: 'json-2 no-json-2', H: 'h' },
  ],
  [
    'names that differ by case, _ and -',
    { aB: TEXT, A_B: TEXT, 'a-b': TEXT, 'a-b-2': TEXT },
    { aB: 'a-b-3', A_B: 'a-b-4', 'a-b': 'a-b', 'a-b-2': 'a-b-2' },
  ],
  [
    'names without a letter',
    { 名前: TEXT, 年齢: TEXT, '1': TEXT },
    { '1': 'argument-1', 名前: 'argument', 年齢: 'argument-2' },
  ],
])('%s have flags of their own', (_, properties, expected) => {
  const flags = flagsOf(properties);
  expect(Object.fromEntries(flags.map(({ name, flag, off }) => [name, `${flag} ${off}`.trim()]))).toEqual(expected);
  const all = flags.flatMap(({ flag, off }) => [flag, ...(off === '' ? [] : [off])]);
  expect(new Set(all).size).toBe(all.length);
});

const clashing = {
  x: BOOLEAN,
  'no-x': TEXT,
  noX: BOOLEAN,
  help: TEXT,
  json: { type: 'number' },
  a_b: TEXT,
  aB: TEXT,
  ['__proto__']: TEXT,
  'line\nbreak\u001B[2J': TEXT,
};

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command `take` of an emitted program. */
function runTake(sandbox: Sandbox, file: string, args: readonly string[]): Ran {
  const env = { HOME: sandbox.home, PATH: process.env['PATH'], PLUGBOARD_KEYCHAIN: 'off' };
  const options = { cwd: sandbox.project, env, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, 'take', ...args], options);
  return { status, stdout, stderr };
}

test('every property of a tool can be sent by its flag, and the help names the property', async () => {
  const sandbox = makeSandbox();
  const project = makeProject();
  const file = join(project, 'take.mjs');
  const server = resolve(import.meta.dirname, '../program/schema-server.mjs');
  const given = ['--', process.execPath, server, JSON.stringify({ properties: clashing })];
  expect((await sandbox.run(['emit-cli', '--out', file, ...given])).code).toBe(0);
  expect(compile(project)).toBe('');
  const run = (...args: readonly string[]): Ran => runTake(sandbox, file, args);
  const help = run('--help').stdout;
  expect(help).toContain('\n  --x, --no-x-3 ');
  expect(help).toMatch(/^ {2}--no-x TEXT +optional$/mu);
  expect(help).toMatch(/^ {2}--no-x-2, --no-no-x-2 +optional, "noX"$/mu);
  expect(help).toMatch(/^ {2}--help-2 TEXT +optional, "help"$/mu);
  expect(help).toMatch(/^ {2}--proto TEXT +optional, "__proto__"$/mu);
  expect(help).toMatch(/^ {2}--line-break-2-j TEXT +optional, "line\\nbreak.*"$/mu);
  // eslint-disable-next-line no-control-regex -- the very characters that must not reach a terminal
  expect(help).not.toMatch(/\u001B/u);
  const words = ['--x', '--no-x', 'a', '--no-no-x-2', '--help-2', 'b', '--json-2', '3', '--a-b', 'c', '--a-b-2', 'd'];
  const { status, stdout } = run(...words, '--proto', 'e');
  expect([status, JSON.parse(stdout)]).toEqual([
    0,
    JSON.parse('{"x":true,"no-x":"a","noX":false,"help":"b","json":3,"a_b":"c","aB":"d","__proto__":"e"}') as unknown,
  ]);
  expect(JSON.parse(run('--no-x-3').stdout)).toEqual({ x: false });
  expect(readFileSync(file, 'utf8')).not.toContain('\u001B');
});

test('an emitted program refuses arguments that do not fit with exit code 2, and --force sends them', async () => {
  const sandbox = makeSandbox();
  const file = join(makeProject(), 'take.mjs');
  const server = resolve(import.meta.dirname, '../program/schema-server.mjs');
  const schema = { properties: { from: TEXT, to: TEXT }, dependentRequired: { from: ['to'] } };
  expect(
    (await sandbox.run(['emit-cli', '--out', file, '--', process.execPath, server, JSON.stringify(schema)])).code,
  ).toBe(0);
  const run = (...args: readonly string[]): Ran => runTake(sandbox, file, args);
  expect(run('--from', 'a')).toEqual({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('does not fit') as string,
  });
  expect(run('--from', 'a', '--force')).toEqual({ status: 0, stdout: '{"from":"a"}\n', stderr: '' });
});
