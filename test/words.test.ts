import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
/** The public doors re-export names of other files. */
const doors = ['src/index.ts', 'src/session/index.ts', 'src/testing/index.ts'];
/** Words that only this project used for things that have a usual name; ARCHITECTURE.md has the glossary. */
const dialect = new Set(
  [
    ['greet', 'greets', 'greeted', 'greeting', 'greetings', 'shelf', 'shelves', 'pace', 'paces', 'voucher', 'vouchers'],
    ['excuse', 'excuses', 'deed', 'deeds', 'wish', 'wishes', 'wished', 'road', 'roads', 'stretch', 'stretches'],
    ['patient', 'patients', 'patience', 'unsaid', 'untold', 'keeper', 'keepers', 'dock', 'docked', 'fleet', 'fleets'],
    [
      'insist',
      'insists',
      'insistence',
      'plight',
      'plights',
      'scribe',
      'courier',
      'crumb',
      'crumbs',
      'taker',
      'reprieve',
    ],
  ].flat(),
);
/** A public door exports this name. */
const exempt = ['ModelWish'];

const files = ['src', 'test']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  .map((file) => file.split(sep).join('/'))
  .filter((file) => file.endsWith('.ts') && !file.includes('node_modules/'))
  .toSorted();
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const textOf = (file: string): string => texts.get(file)!;
const parse = (file: string) => parseSync(file, textOf(file));

/** `#isHTTPDock`, `WAIT_MS` and `wait-for-dock` give: is, http, dock; wait, ms; wait, for, dock. */
function wordsOf(name: string): string[] {
  const parts = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[#_$./-]/u);
  return parts.filter((part) => part !== '').map((part) => part.toLowerCase());
}

function oddOnes(names: Iterable<string>): string[] {
  return [...new Set(names)].filter(
    (name) => !exempt.includes(name) && wordsOf(name).some((word) => dialect.has(word)),
  );
}

/** Every identifier of a file: variables, types, members, private members. Text in strings does not count. */
function identifiersOf(file: string): Set<string> {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const child of node) visit(child);
    else if (node !== null && typeof node === 'object') {
      const { type, name } = node as { type?: unknown; name?: unknown };
      if ((type === 'Identifier' || type === 'PrivateIdentifier') && typeof name === 'string') found.add(name);
      for (const child of Object.values(node)) visit(child);
    }
  };
  visit(parse(file).program);
  return found;
}

/** The names that a file exports itself, without re-exports. */
function exportsOf(file: string): Set<string> {
  const entries = parse(file).module.staticExports.flatMap(({ entries: each }) => each);
  return new Set(
    entries.flatMap(({ moduleRequest, exportName }) => (moduleRequest || !exportName.name ? [] : [exportName.name])),
  );
}

test.each([
  ['#isHTTPDock', ['is', 'http', 'dock']],
  ['WAIT_MS', ['wait', 'ms']],
  ['src/edge/wait-for-dock.ts', ['src', 'edge', 'wait', 'for', 'dock', 'ts']],
  ['docker', ['docker']],
])('%s is the words %j', (name, words) => expect(wordsOf(name)).toEqual(words));

test('a name that one file of src exports, no other file exports', () => {
  const exporters = new Map<string, string[]>();
  for (const file of files) {
    if (!file.startsWith('src/') || file.endsWith('.test.ts') || doors.includes(file)) continue;
    for (const name of exportsOf(file)) exporters.set(name, [...(exporters.get(name) ?? []), file]);
  }
  expect(exporters.size).toBeGreaterThan(1_000);
  expect([...exporters].filter(([, each]) => each.length > 1)).toEqual([]);
});

test('files are named in the words of the field', () => expect(oddOnes(files)).toEqual([]));

test('names are in the words of the field', () => {
  // Only a file whose text has such a word anywhere can have it in a name; parsing all of them takes seconds.
  const possible = files.filter((file) => oddOnes(textOf(file).match(/[\w$#]+/gu) ?? []).length > 0);
  expect(possible.flatMap((file) => oddOnes(identifiersOf(file)).map((name) => `${file}: ${name}`))).toEqual([]);
});

test('comments name their nouns', () => {
  const vague = /\b(?:whoever|somebody|the above|as above)\b(?!`|:)/iu;
  const possible = files.filter((file) => vague.test(textOf(file)));
  const found = possible.flatMap((file) =>
    parse(file).comments.flatMap(({ value }) => (vague.test(value) ? [`${file}: ${value.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
