import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSandbox, USER_FILE } from './sandbox.js';

const file = join(import.meta.dirname, '../offers/odd-server.mjs');
const given = ['--', process.execPath, file];
const configured = { command: process.execPath, args: [file] };
const two = { [USER_FILE]: { mcpServers: { docs: configured, 'my wiki': configured } } };

test('the resources of a command that is configured nowhere are shown, and its templates', async () => {
  const { code, stdout } = await makeSandbox().run(['resources', ...given]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^odd-server: 31\d resources, 1 template$/mu);
  expect(stdout).toMatch(/^ {2}odd:\/\/page\/\{number\} +a page$/mu);
  const { json } = await makeSandbox().run(['resources', '--json', ...given]);
  const { resources, templates } = json!.data as { resources: object[]; templates: object[] };
  expect(resources[0]).toMatchObject({ server: 'odd-server', uri: 'odd://text', name: 'text', title: null, size: 3 });
  expect(templates).toEqual([
    {
      server: 'odd-server',
      uriTemplate: 'odd://page/{number}',
      name: 'a page',
      title: null,
      description: '',
      mimeType: null,
      variables: ['number'],
    },
  ]);
});

test('a resource is read, of a server that is configured or given with the run', async () => {
  const { code, stdout } = await makeSandbox().run(['read', 'odd://text', ...given]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'plain hidden\nend\n' });
  const { json } = await makeSandbox(two).run(['read', 'docs', 'odd://several', '--json']);
  expect(json!.data!['contents']).toMatchObject([
    { uri: 'odd://several/1', text: 'one' },
    { uri: 'odd://several/2', blob: 'AAAA', mimeType: 'image/png' },
    { uri: 'odd://several' },
  ]);
});

test('what is no text is saved, where the user says or among the results, to the byte', async () => {
  const sandbox = makeSandbox(two);
  const { stderr, stdout } = await sandbox.run(['read', 'docs', 'odd://several']);
  expect(stdout).toBe('[odd://several/1]\none\n[odd://several]\nwithout an address\n');
  const [, path = ''] = /^saved 3 bytes \(\S+\) to (\S+)$/mu.exec(stderr) ?? [];
  expect(path).toContain('.local/state/plugboard/results/');
  const text = await sandbox.run(['read', 'docs', 'odd://text', '--output', 'out.txt', '--json']);
  expect(text.json!.data!['saved']).toMatchObject([{ bytes: 25 }]);
  expect(readFileSync(join(sandbox.project, 'out.txt'), 'utf8')).toBe('plain \u202ehidden\u001b[31m\r\nend');
});

test('a resource is not written through a link that leads out of the project', async () => {
  const sandbox = makeSandbox(two);
  symlinkSync(join(sandbox.home, 'new.txt'), join(sandbox.project, 'out.txt'));
  const { json } = await sandbox.run(['read', 'docs', 'odd://text', '--output', 'out.txt', '--json']);
  expect(json!.error).toMatchObject({ code: 'write-failed', hint: 'Name that file itself, or remove the link' });
  expect(existsSync(join(sandbox.home, 'new.txt'))).toBe(false);
});

test.each([
  ['no such server', ['read', 'dosc', 'odd://text'], 'unknown-server', 'docs'],
  ['no such resource', ['read', 'docs', 'odd://txet'], 'unknown-resource', 'odd://text'],
  ['an address that looks like a server', ['read', 'docs', 'https://example.com/x'], 'unknown-resource', 'odd://page'],
  ['a blank that is not filled in', ['read', 'docs', 'odd://page/{number}'], 'bad-input', 'number=...'],
  ['a server alone', ['read', 'docs'], 'usage', 'plugboard resources docs'],
  ['two servers', ['resources', 'docs', 'more'], 'usage', '--'],
  ['no such prompt', ['prompt', 'docs.sya'], 'unknown-resource', 'docs.say'],
  ['a prompt of two servers', ['prompt', 'say', 'what=x'], 'unknown-resource', 'docs.say or my wiki.say'],
  ['a missing argument', ['prompt', 'docs.say'], 'bad-input', 'what='],
  ['a slip in the name of an argument', ['prompt', 'docs.say', 'wat=x'], 'usage', 'what='],
  ['more than it takes', ['prompt', 'docs.clear', 'now'], 'usage', 'takes no arguments'],
])('%s is told by name, with a way on', async (_, words, code, hint) => {
  const { json } = await makeSandbox(two).run([...words, '--json']);
  expect(json).toMatchObject({ ok: false, error: { code, hint: expect.stringContaining(hint) as string } });
});

test('prompts are shown as commands with what they take', async () => {
  const sandbox = makeSandbox(two);
  const { stdout } = await sandbox.run(['prompts']);
  expect(stdout).toMatch(/^docs: 3 prompts$/mu);
  expect(stdout).toMatch(/^ {2}\/mcp__docs__clear +Not what you think$/mu);
  expect(stdout).toMatch(/^ {2}\/mcp__my_wiki__say what \[how\]$/mu);
  const { json } = await sandbox.run(['prompts', 'my wiki', '--json']);
  expect(json!.data!['prompts']).toMatchObject([
    { command: '/mcp__my_wiki__clear', server: 'my wiki', name: 'clear' },
    { command: '/mcp__my_wiki__clear_', name: 'clear\n' },
    {
      arguments: [
        { name: 'what', required: true },
        { name: 'how', required: false },
      ],
    },
  ]);
});

test.each([
  ['docs.say', 'what=hi'],
  ['/mcp__docs__say', 'hi'],
])('the prompt %s says what it has to say, its roles kept', async (name, word) => {
  const sandbox = makeSandbox(two);
  const { json } = await sandbox.run(['prompt', name, word, '--json']);
  expect(json!.data).toMatchObject({
    description: 'A talk',
    messages: [{ role: 'user', content: { text: 'say {"what":"hi"}' } }, { role: 'assistant' }, {}, {}, {}],
  });
});

test('on a screen it reads like a talk', async () => {
  const { stdout, stderr } = await makeSandbox().run(['prompt', 'say', 'hi', ...given]);
  expect(stdout).toBe(
    'user: say {"what":"hi"}\n\nassistant: [image image/png, 3 bytes]\n\nuser: a\n\nuser: b\n\nuser: [resource odd://text]\nx\n',
  );
  expect(stderr).toContain('4 malformed messages were left out');
});

test('one server that fails is missing, and said to be; alone it is the answer', async () => {
  const servers = { good: configured, bad: { command: process.execPath, args: ['-e', 'process.exit(3)'] } };
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: servers } });
  const { code, stdout, stderr } = await sandbox.run(['prompts']);
  expect(code).toBe(0);
  expect(stdout).toContain('good: 3 prompts');
  expect(stderr).toContain('error: Server "bad" exited with code 3');
  expect((await sandbox.run(['resources', 'bad'])).code).toBe(1);
});
