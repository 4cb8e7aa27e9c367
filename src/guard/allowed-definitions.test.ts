import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { definitionHash, differences } from './definition-hash.js';
import { AllowedDefinitions } from './allowed-definitions.js';

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-grants-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const key = (name: string): { server: string; name: string } => ({ server: 'f'.repeat(64), name });

test('what was allowed is known to the next program, and to nobody else', async () => {
  const file = join(openFolder(), 'state', 'grants.json');
  await using grants = new AllowedDefinitions({ file });
  expect(grants.find(key('t'))).toBe(undefined);
  grants.remember(key('t'), 'one');
  grants.remember(key('__proto__'), 'two');
  expect(grants.find(key('t'))).toBe('one');
  await grants[Symbol.asyncDispose]();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const later = new AllowedDefinitions({ file });
  expect([later.find(key('t')), later.find(key('__proto__')), later.find({ server: 'other', name: 't' })]).toEqual([
    'one',
    'two',
    undefined,
  ]);
});

test('two programs that write at once lose nothing of each other', async () => {
  const folder = openFolder();
  const file = join(folder, 'grants.json');
  const program = join(folder, 'program.mjs');
  const contents = `
    import { AllowedDefinitions } from ${JSON.stringify(join(import.meta.dirname, 'allowed-definitions.ts'))};
    const [file, name] = process.argv.slice(2);
    const grants = new AllowedDefinitions({ file, onProblem: (cause) => { throw cause; } });
    for (let index = 0; index < 40; index++) {
      grants.remember({ server: 's', name: name + index }, 'h' + index);
      if (index % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await grants[Symbol.asyncDispose]();`;
  await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile: program,
  });
  const children = ['a', 'b'].map((name) => fork(program, [file, name]));
  const codes = await Promise.all(children.map((child) => once(child, 'exit')));
  expect(codes.map(([code]) => code as unknown)).toEqual([0, 0]);
  const grants = new AllowedDefinitions({ file });
  for (const name of ['a', 'b']) {
    for (let index = 0; index < 40; index++) expect(grants.find({ server: 's', name: name + index })).toBe(`h${index}`);
  }
});

test.skipIf(process.platform === 'win32')(
  'a folder that cannot be written to is told once, and remembered until the end',
  async () => {
    const folder = openFolder();
    const file = join(folder, 'state', 'grants.json');
    // A file in place of the folder prevents writing even for root.
    writeFileSync(join(folder, 'state'), '');
    const problems: unknown[] = [];
    const grants = new AllowedDefinitions({ file, onProblem: (cause) => problems.push(cause) });
    for (const tool of ['a', 'b', 'c']) {
      grants.remember(key(tool), 'one');
      await grants[Symbol.asyncDispose]();
    }
    expect(grants.find(key('a'))).toBe('one');
    expect(problems).toHaveLength(1);
  },
);

test.each(['', '{', '[]', '{"grants":[]}', '{"grants":{"x":7}}', 'null'])(
  'a file that says nothing sensible is replaced by one that does: %j',
  async (text) => {
    const folder = openFolder();
    const file = join(folder, 'grants.json');
    writeFileSync(file, text);
    chmodSync(file, 0o600);
    const grants = new AllowedDefinitions({ file });
    expect(grants.find(key('t'))).toBe(undefined);
    grants.remember(key('t'), 'one');
    await grants[Symbol.asyncDispose]();
    expect(new AllowedDefinitions({ file }).find(key('t'))).toBe('one');
  },
);

test('a folder instead of the file, or no place at all, is as good as nothing', async () => {
  const folder = openFolder();
  mkdirSync(join(folder, 'grants.json'));
  for (const file of [join(folder, 'grants.json'), undefined]) {
    const grants = new AllowedDefinitions({ file });
    grants.remember(key('t'), 'one');
    expect(grants.find(key('t'))).toBe('one');
    await grants[Symbol.asyncDispose]();
  }
});

test('of more tools than anybody uses, those that were allowed longest ago are forgotten', async () => {
  const file = join(openFolder(), 'grants.json');
  const grants = new AllowedDefinitions({ file });
  for (let index = 0; index < 6_000; index++) grants.remember(key(`t${index}`), 'one');
  await grants[Symbol.asyncDispose]();
  const later = new AllowedDefinitions({ file });
  expect([later.find(key('t0')), later.find(key('t999')), later.find(key('t1000')), later.find(key('t5999'))]).toEqual([
    undefined,
    undefined,
    'one',
    'one',
  ]);
  expect(readFileSync(file, 'utf8').length).toBeLessThan(500_000);
});

test('a hash tells what of a definition changed, and not in which order its fields stand', () => {
  const tool = {
    name: 't',
    title: 'T',
    description: 'Reads',
    inputSchema: { type: 'object', properties: { a: {}, b: {} } },
    outputSchema: undefined,
    hints: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
    marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
    meta: { searchHint: undefined, maxResultChars: undefined },
  };
  const before = definitionHash(tool);
  expect(before).toHaveLength(76);
  expect(definitionHash({ ...tool, inputSchema: { properties: { b: {}, a: {} }, type: 'object' } })).toBe(before);
  const changes: readonly (readonly [object, string])[] = [
    [{ description: 'Reads!' }, 'its title or description'],
    [{ inputSchema: { type: 'object' } }, 'its input schema'],
    [{ outputSchema: {} }, 'its output schema'],
    [{ hints: { ...tool.hints, readOnly: false } }, 'its hints'],
    [{ meta: { searchHint: 'x', maxResultChars: undefined } }, 'what it says of itself'],
  ];
  for (const [change, told] of changes) {
    const after = definitionHash({ ...tool, ...change });
    expect(after).not.toBe(before);
    expect(differences(before, after)).toEqual([told]);
  }
});
