import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  openSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readFileTool } from './read.js';

const MEGABYTES = process.env['PLUGBOARD_FULL'] ? 512 : 64;

let root: string;
let project: string;
let results: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-read-')));
  project = join(root, 'project');
  results = join(root, 'results');
  mkdirSync(project);
  mkdirSync(results);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function read(input: {
  readonly [name: string]: unknown;
}): Promise<{ text: string; outcome: string; notes: readonly string[] }> {
  const tool = readFileTool({ roots: () => [results, project] });
  const { content, outcome, notes } = await tool.call(input, { callId: '1' });
  return { text: String(content[0]!['text']), outcome, notes };
}

test('a file is read by lines, with their numbers and how to go on', async () => {
  const path = join(results, 'a.txt');
  writeFileSync(path, Array.from({ length: 12 }, (_, index) => `line ${index}\r\n`).join(''));
  expect(await read({ path, offset: 8, limit: 3 })).toMatchObject({
    outcome: 'ok',
    text: ' 8\tline 8\n 9\tline 9\n10\tline 10\n[Lines 8 to 10 of 12; go on with offset 11]',
  });
  expect((await read({ path, offset: 11 })).text).toBe('11\tline 11\n[Lines 11 to 11 of 12; the end of the file]');
  expect((await read({ path, offset: 12 })).text).toBe('[There is no line 12: the file has 12 lines]');
  expect((await read({ path })).text).toMatch(/^ 0\tline 0\n[^]*\[Lines 0 to 11 of 12; the end of the file\]$/u);
});

test.each([
  ['', '[The file is empty]'],
  ['\n', '0\t\n[Lines 0 to 0 of 1; the end of the file]'],
  ['no end', '0\tno end\n[Lines 0 to 0 of 1; the end of the file]'],
  ['a\n\nb', '0\ta\n1\t\n2\tb\n[Lines 0 to 2 of 3; the end of the file]'],
])('a file of %j', async (content, text) => {
  writeFileSync(join(project, 'a'), content);
  expect((await read({ path: 'a' })).text).toBe(text);
});

test('a long line is read by characters, wherever these are wide', async () => {
  const path = join(results, 'long.json');
  const unit = '"é👩‍👩‍👧 東京",';
  const content = `[${unit.repeat(60_000)}0]`;
  writeFileSync(path, content);
  const from = 1 + unit.length * 30_000;
  const { text } = await read({ path, characters: { from, count: unit.length } });
  expect(text).toBe(
    `${unit}\n[Characters ${from} to ${from + unit.length - 1}; go on with from ${from + unit.length}]`,
  );
  const end = await read({ path, characters: { from: content.length - 2, count: 100 } });
  expect(end.text).toBe(`0]\n[Characters ${content.length - 2} to ${content.length - 1}; the end of the file]`);
  expect((await read({ path, characters: { from: 1e9, count: 1 } })).text).toBe(
    '[The file has no character 1000000000]',
  );
  expect((await read({ path })).text).toMatch(
    / … \[\d+ more bytes of this line: read them by characters\]\n\[Lines 0 to 0 of 1;/u,
  );
});

test('no answer is longer than a result may be', async () => {
  const path = join(results, 'wide.txt');
  writeFileSync(path, `${'word '.repeat(200)}\n`.repeat(3_000));
  const { text } = await read({ path, limit: 10_000 });
  expect(text.length).toBeLessThan(150_000);
  expect(text).toMatch(/\[Lines 0 to \d+ of 3000; go on with offset \d+\]$/u);
  writeFileSync(path, '東'.repeat(100_000));
  expect((await read({ path, characters: { from: 0, count: 100_000 } })).text).toMatch(/go on with from 22500\]$/u);
});

test('what a terminal would obey, or only a model reads, is removed', async () => {
  writeFileSync(join(project, 'a'), 'x\u001b[2Jy\u202e\u{e0041}\u2028z\n');
  const { text, notes } = await read({ path: 'a' });
  expect(text).toBe('0\txy z\n[Lines 0 to 0 of 1; the end of the file]');
  expect(notes).toEqual(['2 hidden characters and 1 terminal sequence were removed']);
});

test('only the results and the project can be read, wherever links lead', async () => {
  writeFileSync(join(root, 'secret'), 'secret');
  writeFileSync(join(project, 'mine'), 'mine');
  symlinkSync(join(root, 'secret'), join(project, 'link'));
  symlinkSync(root, join(project, 'up'));
  symlinkSync(join(project, 'mine'), join(results, 'across'));
  mkdirSync(join(root, 'project-of-another'));
  writeFileSync(join(root, 'project-of-another', 'a'), 'other');
  const outside = [
    join(root, 'secret'),
    '../secret',
    'link',
    'up/secret',
    join(results, '../secret'),
    join(root, 'project-of-another/a'),
    '/etc/passwd',
    'mine\0',
  ];
  for (const path of outside) {
    const { outcome, text } = await read({ path });
    expect([outcome, text]).toEqual([
      'error',
      expect.stringContaining('is not inside a folder that Read may look into'),
    ]);
  }
  expect((await read({ path: join(results, 'across') })).text).toContain('mine');
});

test.each([
  ['nothing', /Cannot read nothing: it does not exist/u],
  ['.', /is not inside a folder/u],
  ['folder', /not a regular file/u],
  ['pipe', /not a regular file/u],
  ['loop', /its links lead in a circle/u],
  ['picture', /is no text: image\/png, 100 bytes/u],
  ['zeros', /is no text: application\/octet-stream, 20 bytes/u],
])('%s is refused by name', async (path, reason) => {
  mkdirSync(join(project, 'folder'));
  execFileSync('mkfifo', [join(project, 'pipe')]);
  symlinkSync('loop', join(project, 'loop'));
  writeFileSync(join(project, 'picture'), Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(92)]));
  writeFileSync(join(project, 'zeros'), Buffer.alloc(20));
  expect(await read({ path })).toMatchObject({ outcome: 'error', text: expect.stringMatching(reason) });
});

test('a text in an old encoding is shown as far as it can be read', async () => {
  writeFileSync(join(project, 'latin'), Buffer.from('na\u00efve\n', 'latin1'));
  expect((await read({ path: 'latin' })).text).toContain('na\ufffdve');
});

test('input that does not fit is named', async () => {
  expect(await read({ path: '', limit: -1 })).toMatchObject({
    outcome: 'error',
    text: expect.stringContaining('does not fit'),
  });
});

test(`a file of ${MEGABYTES} MB is read at its end in constant memory`, async () => {
  const path = join(results, 'large.txt');
  writeFileSync(path, 'first\n');
  truncateSync(path, MEGABYTES * 1_000_000); // the hole reads as zeros, in one line
  const file = openSync(path, 'r+');
  writeSync(file, 'x\n'.repeat(8_192), 6);
  writeSync(file, '\nlast\n', MEGABYTES * 1_000_000 - 6);
  closeSync(file);
  const before = process.memoryUsage().rss;
  const { text } = await read({ path, offset: 8_194 });
  expect(text).toBe('8194\tlast\n[Lines 8194 to 8194 of 8195; the end of the file]');
  expect(process.memoryUsage().rss - before).toBeLessThan(64_000_000);
});

test('of what may not be read nobody is told whether it exists', async () => {
  const closed = join(project, 'own');
  mkdirSync(closed);
  writeFileSync(join(closed, 'kept'), 'kept');
  writeFileSync(join(root, 'there'), 'there');
  mkdirSync(join(root, 'folder'));
  mkdirSync(join(project, 'sub'));
  writeFileSync(join(project, '.env'), 'KEY=1');
  const link = (target: string, name: string): void => symlinkSync(target, join(project, name));
  link(join(root, 'there'), 'to-there');
  link(join(root, 'not-there'), 'to-nothing');
  link('sub/../../there', 'round-there');
  link('sub/../../nothing', 'round-nothing');
  link('to-there', 'twice-there');
  link('to-nothing', 'twice-nothing');
  link('..', 'up');
  link('.env', 'notes');
  link('.env.gone', 'more-notes');
  link('own/kept', 'to-own');
  link('own/gone', 'to-no-own');
  const tool = readFileTool({ roots: () => [results, project], closed: { folders: [closed], but: undefined } });
  const told = async (path: string): Promise<string> => {
    const { outcome, content } = await tool.call({ path }, { callId: '1' });
    return `${outcome} ${String(content[0]!['text']).replaceAll(path, 'PATH')}`;
  };
  const pairs = [
    [join(root, 'there'), join(root, 'nothing')],
    [join(root, 'there'), join(root, 'nothing/deep/down')],
    [join(root, 'there/deep'), join(root, 'nothing/deep')],
    [join(root, 'folder'), join(root, 'nothing')],
    ['/root/.ssh/id_rsa', '/root/.ssh/id_nothing_at_all'],
    ['../there', '../nothing'],
    ['up/there', 'up/nothing'],
    [`${project}/sub/../../there`, `${project}/sub/../../nothing`],
    ['to-there', 'to-nothing'],
    ['to-there/', 'to-nothing/'],
    ['to-there/x', 'to-nothing/x'],
    ['round-there', 'round-nothing'],
    ['twice-there', 'twice-nothing'],
    ['own/kept', 'own/gone'],
    ['own/kept', 'own/gone/deep'],
    ['to-own', 'to-no-own'],
    ['notes', 'more-notes'],
  ] as const;
  for (const [there, nothing] of pairs) {
    const text = await told(there);
    expect([there, text]).toEqual([there, await told(nothing)]);
    expect(text).toMatch(/^error PATH /u);
  }
  expect(await told('sub/nothing')).toContain('it does not exist');
  rmSync(results, { recursive: true });
  expect(await told('sub/nothing')).toContain('it does not exist');
});

test('a saved result that was deleted is said to be, with what it was deleted for; other files are just not there', async () => {
  const limits = { bytes: 209_715_200, ageMs: 86_400_000 };
  const tool = readFileTool({
    roots: () => [results, project],
    closed: { folders: [], but: results },
    limits: () => limits,
  });
  const told = async (path: string): Promise<string> => {
    const { error } = await tool.call({ path }, { callId: '1' });
    return `${error?.message} ${error?.hint}`;
  };
  const name = '20261115T100000Z-0123456789ab.txt';
  const deleted = /was deleted: saved results are kept for 1 day, and 200 MB of them together.* Make the call again/u;
  expect(await told(join(results, name))).toMatch(deleted);
  expect(await told(name)).toMatch(deleted);
  expect(await told(join(results, 'result-0123456789abcdef'))).toMatch(deleted);
  for (const path of [join(results, 'notes.txt'), join(project, name), join(results, 'sub', name)]) {
    expect(await told(path)).toMatch(/does not exist/u);
  }
});

test('a saved result that is read counts as used, and another file stays as it is', async () => {
  const tool = readFileTool({ roots: () => [results, project], closed: { folders: [], but: results } });
  const paths = [join(results, 'result-0123456789abcdef'), join(results, 'notes.txt'), join(project, 'a.txt')];
  for (const path of paths) {
    writeFileSync(path, 'x');
    utimesSync(path, 1_000, 1_000);
    expect(await tool.call({ path }, { callId: '1' })).toMatchObject({ outcome: 'ok' });
  }
  expect(paths.map((path) => statSync(path).mtimeMs > 1_000_000)).toEqual([true, false, false]);
});
