import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSandbox, type Run, type RunOptions, USER_FILE } from './sandbox.js';

const server = join(import.meta.dirname, 'tool-server.mjs');
/** A server of one tool with this schema, which echoes what it is given. */
const oneTool = (inputSchema: unknown): string[] => [
  '--',
  process.execPath,
  join(import.meta.dirname, 'schema-server.mjs'),
  JSON.stringify(inputSchema),
];

const issue = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    labels: { type: 'array', items: { type: 'string' } },
    level: { enum: ['low', 'high'] },
  },
  required: ['title'],
};

/** Calls a tool of that schema. `sent`: what the server got. */
async function call(
  inputSchema: unknown,
  words: readonly string[],
  options: RunOptions = {},
): Promise<Run & { readonly sent: unknown }> {
  const sandbox = makeSandbox();
  const run = await sandbox.run(['call', ...words, ...oneTool(inputSchema)], options);
  return { ...run, sent: run.code === 0 ? JSON.parse(run.stdout) : undefined };
}

test('what does not fit is refused before the call: exit 2, the reason, the nearest name, the signature', async () => {
  const sandbox = makeSandbox();
  const journal = join(sandbox.root, 'journal');
  const given = ['-e', `JOURNAL=${journal}`, '--', process.execPath, server];
  const { code, stdout, stderr } = await sandbox.run(['call', 'echo', 'txet=hi', ...given]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(
    'error: echo does not take these arguments: txet: not an argument; did you mean text? text: missing\n' +
      '  → echo(text: string)\n' +
      '    To send them as they are: --force\n',
  );
  expect(readFileSync(journal, 'utf8').split('\n')).toContain('tools/list');
  expect(readFileSync(journal, 'utf8')).not.toContain('tools/call');
  const { json } = await sandbox.run(['call', 'echo', 'txet=hi', '--json', ...given]);
  expect(json).toMatchObject({
    ok: false,
    error: { code: 'usage', hint: expect.stringContaining('echo(text: string)') as string },
  });
  const forced = await sandbox.run(['call', 'echo', 'txet=hi', '--force', ...given]);
  expect([forced.code, forced.stdout]).toEqual([0, '{"txet":"hi"}\n']);
  expect(readFileSync(journal, 'utf8')).toContain('tools/call');
});

test.each<[readonly string[], string]>([
  [['title=a', 'labels:=["a", 2]'], 'labels.1: must be string, is integer'],
  [['title=a', 'labels=x'], 'labels must be a list, got "x"'],
  [['title=a', '__proto__=1'], '__proto__: not an argument'],
  [['title=a', 'a\u001B[31m\nb=1'], 'a b: not an argument'],
])('%j is refused: %s', async (words, message) => {
  const { code, stdout, stderr } = await call(issue, ['take', ...words]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('a schema that doubles at each level holds nothing up: the call is sent, with a note', async () => {
  const names = Array.from({ length: 40 }, (_, level) => `n${level}`);
  const $defs = Object.fromEntries(
    names.map((name, at) => {
      const next = { $ref: `#/$defs/${names[at + 1] ?? ''}` };
      return [name, at === names.length - 1 ? { type: 'string' } : { anyOf: [next, next] }];
    }),
  );
  const bomb = { properties: { start: { $ref: '#/$defs/n0' } }, $defs };
  const { code, stderr, sent } = await call(bomb, ['take', 'start:=1']);
  expect([code, sent]).toEqual([0, { start: 1 }]);
  expect(stderr).toMatch(/^note: the arguments were not checked before the call: /u);
});

test.each<[readonly string[], unknown]>([
  [['take(title: "milk", labels: ["a", \'b\'])'], { title: 'milk', labels: ['a', 'b'] }],
  [['schema-server.take(title: "a b")'], { title: 'a b' }],
  [['mcp__schema-server__take(title: `x`)'], { title: 'x' }],
  [['take(title: "a")', 'level=low'], { title: 'a', level: 'low' }],
  [['take', '--json-args', '{"title":"a"}'], { title: 'a' }],
])('%j is a call', async (words, sent) => {
  expect(await call(issue, words)).toMatchObject({ code: 0, sent });
});

test.each<[readonly string[], string]>([
  [['take(title: string)'], 'at character 13: "string" is the type; write a value in its place'],
  [['take(title: "a"'], 'at character 16: "," or ")" is missing at the end'],
  [['take(titel: "a")'], 'titel: not an argument; did you mean title?'],
  [['tak(title: "a")'], 'Did you mean take?'],
])('%j is refused: %s', async (words, message) => {
  const { code, stdout, stderr } = await call(issue, words);
  expect([code, stdout]).toEqual([message.startsWith('Did') ? 1 : 2, '']);
  expect(stderr).toContain(message);
});

test('a call that cannot be read starts no server', async () => {
  const sandbox = makeSandbox();
  const file = join(sandbox.root, 'started');
  const script = `require('fs').writeFileSync(${JSON.stringify(file)}, '')`;
  const { code } = await sandbox.run(['call', 'f(a: ', '--', process.execPath, '-e', script]);
  expect([code, existsSync(file)]).toEqual([2, false]);
});

test('- reads a JSON object from stdin, and words override its fields', async () => {
  const stdin = '{"title":"a","level":"low"}';
  expect(await call(issue, ['take', '-', 'level=high'], { stdin })).toMatchObject({
    code: 0,
    sent: { title: 'a', level: 'high' },
  });
  expect(await call(issue, ['take', '--args', '-'], { stdin })).toMatchObject({ code: 0, sent: JSON.parse(stdin) });
  expect(await call(issue, ['take', '-'], { stdin: '[1]' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('stdin must be a JSON object') as string,
  });
  expect(await call(issue, ['take', '-'], { stdin: '{' })).toMatchObject({ code: 2 });
});

test('a definition of an earlier run refuses nothing that the server takes now', async () => {
  const sandbox = makeSandbox();
  const file = sandbox.write('schema.json', issue);
  const entry = { command: process.execPath, args: [join(import.meta.dirname, 'schema-server.mjs'), `@${file}`] };
  sandbox.write(USER_FILE, { mcpServers: { one: entry } });
  expect((await sandbox.run(['call', 'one.take', 'title=a'])).code).toBe(0);
  writeFileSync(file, JSON.stringify({ properties: { body: { type: 'number' } } }));
  const { code, stdout, stderr } = await sandbox.run(['call', 'one.take', 'body=5']);
  expect([code, stdout, stderr]).toEqual([0, '{"body":5}\n', '']);
});

test('a value that a type does not take is sent as a text with --force', async () => {
  const { sent } = await call({ properties: { n: { type: 'number' } } }, ['take', 'n=many', '--force']);
  expect(sent).toEqual({ n: 'many' });
});
