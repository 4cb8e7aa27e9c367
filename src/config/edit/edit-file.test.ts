import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ConfigContext, openContext } from '../context.js';
import { editFile } from './edit-file.js';
import { setInText } from './edit-text.js';

let home: string;
let file: string;
let context: ConfigContext;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-edit-')));
  file = join(home, 'servers.json');
  context = openContext({ cwd: home, env: { HOME: home }, platform: 'linux' });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const add = (name: string) => (text: string) => setInText(text, ['mcpServers', name], { command: name });
const read = (): unknown => JSON.parse(readFileSync(file, 'utf8'));
const backups = (): string[] => {
  const folder = join(context.places.state!, 'previous');
  return existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')) : [];
};

describe('an edit', () => {
  test('makes a file that is not there, for its owner alone unless it is to be shared', async () => {
    const edit = await editFile(file, add('a'), { context });
    expect(edit).toMatchObject({ file, before: undefined });
    expect(read()).toEqual({ mcpServers: { a: { command: 'a' } } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(backups()).toEqual([]);
  });

  test.each(['', '\n', '  '])('begins an empty file anew: %j', async (text) => {
    writeFileSync(file, text);
    await editFile(file, add('a'), { context });
    expect(read()).toEqual({ mcpServers: { a: { command: 'a' } } });
  });

  test('keeps one older version in the state folder', async () => {
    writeFileSync(file, '{}\n');
    const { after } = await editFile(file, add('a'), { context });
    expect(backups()).toEqual(['{}\n']);
    await editFile(file, add('b'), { context });
    expect(backups()).toEqual([after]);
  });

  test('that changes nothing writes nothing', async () => {
    writeFileSync(file, '{ "a": 1 }');
    const before = statSync(file).mtimeMs;
    const edit = await editFile(file, (text) => text, { context });
    expect([edit.before, edit.after]).toEqual(['{ "a": 1 }', '{ "a": 1 }']);
    expect(statSync(file).mtimeMs).toBe(before);
    expect(backups()).toEqual([]);
  });

  test('that is only tried tells what it would do and does nothing', async () => {
    const edit = await editFile(file, add('a'), { context, dryRun: true });
    expect(edit.after).toContain('"command": "a"');
    expect(existsSync(file)).toBe(false);
    expect(backups()).toEqual([]);
  });

  test('that fails leaves the file as it is', async () => {
    writeFileSync(file, '{ "a": 1 }');
    await expect(
      editFile(
        file,
        () => {
          throw new Error('refused');
        },
        { context },
      ),
    ).rejects.toThrow('refused');
    expect(readFileSync(file, 'utf8')).toBe('{ "a": 1 }');
  });

  test('of twenty writers at once loses nothing', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `server-${index}`);
    await Promise.all(names.map((name) => editFile(file, add(name), { context })));
    const { mcpServers } = read() as { mcpServers: object };
    expect(Object.keys(mcpServers).toSorted()).toEqual(names.toSorted());
  });
});

describe('a file that cannot be understood is refused with its line and column, and left alone', () => {
  test.each<[text: string, message: string]>([
    ['{\n "a": 1\n "b": 2 }', ':3:2: is not JSON: a comma was expected'],
    ['[]', ':1:1: expected an object, got an array'],
    ['{\n', ':2:1: is not JSON'],
    ['['.repeat(100_000), ':1:1: is nested 100000 levels deep'],
  ])('%.20j', async (text, message) => {
    writeFileSync(file, text);
    for (const dryRun of [true, false]) {
      await expect(editFile(file, add('a'), { context, dryRun })).rejects.toMatchObject({
        code: 'config-invalid',
        message: expect.stringContaining(file + message) as string,
      });
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('so is a folder in its place', async () => {
    mkdirSync(file);
    for (const dryRun of [true, false]) {
      await expect(editFile(file, add('a'), { context, dryRun })).rejects.toMatchObject({ name: 'HostError' });
    }
    expect(statSync(file).isDirectory()).toBe(true);
  });
});
