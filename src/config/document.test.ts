import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseDocument, readDocument } from './document.js';
import { placeAt } from './text-place.js';

/** Returns the value, or `line N: what is wrong`; then the warnings with their lines. */
async function read(text: string): Promise<{ readonly value?: unknown; readonly told: readonly string[] }> {
  const reading = await parseDocument(text, 'f');
  if (reading.kind === 'absent') throw new Error('a text cannot be absent');
  if (reading.kind === 'broken') return { told: [`line ${reading.problem.line}: ${reading.problem.message}`] };
  return {
    value: reading.document.value,
    told: reading.problems.map(({ line, field, message }) => `line ${line}: "${field}" ${message}`),
  };
}

const SAMPLE = `// The servers of this project
{
  "mcpServers": {
    "db": { "command": "npx", "args": ["-y", "db \\"quoted\\"", "\\u00e9"], "env": { "N": "1" } }, /* , */
    "docs": {
      "url": "https://docs.example.com", // http
      "timeout": -1.5e3,
      "trust": true, "x": null,
    },
  },
}
`;

describe('a file may hold what people write into such files', () => {
  test.each<[what: string, text: string, value: unknown]>([
    ['plain JSON', '{"a":[1,"x",null,true]}', { a: [1, 'x', null, true] }],
    ['comments', '// a\n{ /* b */ "a": 1 // c\n}\n/* d */', { a: 1 }],
    ['trailing commas', '{ "a": [1, 2,], "b": {"c": 1,}, }', { a: [1, 2], b: { c: 1 } }],
    ['escapes', '{ "\\u0061": "\\n\\"\\ud83d\\ude42" } // x', { a: '\n"🙂' }],
    ['CRLF', '{\r\n// c\r\n"a": 1\r\n}\r\n', { a: 1 }],
    ['a carriage return as line end', '// c\r{ "a": 1 }', { a: 1 }],
    ['slashes in texts', '{ "a": "https://x/*y*/" } // c', { a: 'https://x/*y*/' }],
    ['nothing', '{}', {}],
  ])('%s', async (_, text, value) => expect(await read(text)).toEqual({ value, told: [] }));
});

describe('what is wrong is named with its line', () => {
  test.each<[what: string, text: string, told: string]>([
    ['nothing at all', '', 'line 1: is empty'],
    ['blanks', ' \n\t\n', 'line 1: is empty'],
    ['a comment alone', '\n// only', 'line 2: is not JSON: a value was expected'],
    ['a list', '[]', 'line 1: expected an object, got an array'],
    ['a text', '"x"', 'line 1: expected an object, got string'],
    ['null', 'null', 'line 1: expected an object, got object'],
    ['a missing comma', '{\n"a": 1\n"b": 2\n}', 'line 3: is not JSON: a comma was expected'],
    ['a missing colon', '{\n"a" 1\n}', 'line 2: is not JSON: a colon was expected'],
    [
      'single quotes',
      "{\n\n'a': 1\n}",
      'line 3: is not JSON: a word that is neither in quotes nor true, false or null',
    ],
    ['an open text', '{\n"a": "x\n}', 'line 2: is not JSON: a string is not closed'],
    ['an open comment', '{ "a": 1 }\n/* x', 'line 2: is not JSON: a comment is not closed'],
    ['a second value', '{}\n{}', 'line 2: is not JSON: more text follows after the end'],
    ['a control character', '{\n"a": "\u0001"}', 'line 2: is not JSON: a character that JSON does not allow there'],
    ['a bad escape', '{\n"a": "\\x"}', 'line 2: is not JSON: an escape that JSON does not have'],
    [
      '64 levels and one more',
      `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`,
      'line 1: is nested 65 levels deep; the limit is 64',
    ],
    ['depth without end', '['.repeat(100_000), 'line 1: is nested 100000 levels deep; the limit is 64'],
    ['depth behind a comment', `//\r${'['.repeat(100_000)}`, 'line 1: is nested 100000 levels deep; the limit is 64'],
    [
      'depth behind an open text',
      `{"a": "x\n, "b": ${'['.repeat(100_000)}`,
      'line 1: is nested 100001 levels deep; the limit is 64',
    ],
    ['depth that looks flat', '[},'.repeat(100_000), 'line 1: is not JSON: brackets that do not match'],
  ])('%s', async (_, text, told) => {
    const found = await read(text);
    expect(found.value).toBeUndefined();
    expect(found.told).toEqual([expect.stringContaining(told)]);
  });

  test('64 levels are enough for anybody', async () => {
    expect((await read(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`)).told).toEqual([]);
  });

  test('a file that is still being written is refused at every byte, with a line of the file', async () => {
    const lines = SAMPLE.split('\n').length;
    const end = SAMPLE.trimEnd().length;
    for (let length = 0; length < end; length++) {
      const { value, told } = await read(SAMPLE.slice(0, length));
      expect(value).toBeUndefined();
      expect(told).toEqual([expect.stringMatching(/^line \d+: (?:is not JSON: .|is empty)/u)]);
      expect(Number(/\d+/u.exec(told[0]!)![0])).toBeLessThanOrEqual(lines);
    }
    expect((await read(SAMPLE)).told).toEqual([]);
  });

  test('a file with any one byte gone or doubled is read or refused, and never more than that', async () => {
    for (let at = 0; at < SAMPLE.length; at++) {
      for (const text of [SAMPLE.slice(0, at) + SAMPLE.slice(at + 1), SAMPLE.slice(0, at + 1) + SAMPLE.slice(at)]) {
        const { value, told } = await read(text);
        const readable = typeof value === 'object' && value !== null;
        expect(readable || told[0]).toSatisfy((outcome) => outcome === true || /^line \d+: ./u.test(String(outcome)));
      }
    }
  });
});

describe('a name that stands twice is told with its line, and the last one counts', () => {
  test.each<[text: string, value: unknown, told: readonly string[]]>([
    ['{"a":1,\n"a":2}', { a: 2 }, ['line 2: "a" appears twice in one object; the last one counts']],
    ['{"a":1,\n"\\u0061":2} // c', { a: 2 }, ['line 2: "a" appears twice in one object; the last one counts']],
    [
      '{"m":{"x":1,\n"x":2},\n"m":{}}',
      { m: {} },
      [
        'line 2: "x" appears twice in one object; the last one counts',
        'line 3: "m" appears twice in one object; the last one counts',
      ],
    ],
  ])('%j', async (text, value, told) => expect(await read(text)).toEqual({ value, told }));
});

describe('a field named like something built in is a field like any other', () => {
  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])('%s', async (name) => {
    const plain = `{"${name}":{"polluted":1},"mcpServers":{"${name}":{"command":"x","env":{"${name}":"y"}}}}`;
    for (const text of [plain, `${plain} // with a comment`]) {
      const { value } = await read(text);
      expect(JSON.stringify(value)).toBe(plain);
      expect(Object.keys(value as object)).toEqual([name, 'mcpServers']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
    }
  });
});

describe('a part of a file has a line and a column', () => {
  test.each<[path: readonly (string | number)[], line: number, column: number]>([
    [[], 1, 1],
    [['mcpServers'], 3, 3],
    [['mcpServers', 'db'], 4, 5],
    [['mcpServers', 'db', 'args', 1], 4, 46],
    [['mcpServers', 'docs'], 5, 5],
    [['mcpServers', 'docs', 'url'], 6, 7],
    [['mcpServers', 'docs', 'nothing', 'here'], 5, 5],
    [['nobody'], 1, 1],
    [['mcpServers', 'toString'], 3, 3],
  ])('%j is on line %i, column %i', async (path, line, column) => {
    const reading = await parseDocument(SAMPLE, 'f');
    expect(reading.kind === 'document' && (await reading.document.placeOf(path))).toEqual({ line, column });
  });

  test('the last one, where a name stands twice', async () => {
    const reading = await parseDocument('{\n"a":\n1,\n"a": 2}', 'f');
    expect(reading.kind === 'document' && (await reading.document.placeOf(['a']))).toEqual({ line: 4, column: 1 });
  });

  test('counted from one, a line end belongs to its own line', () => {
    expect([0, 1, 2, 3, 99].map((offset) => placeAt('a\nb\nc', offset))).toEqual([
      { line: 1, column: 1 },
      { line: 1, column: 2 },
      { line: 2, column: 1 },
      { line: 2, column: 2 },
      { line: 3, column: 2 },
    ]);
  });

  test('behind a comment of several lines as well', async () => {
    const reading = await parseDocument('{ /* a\n b */ "a": { "b": [1,\r\n  { "c": 2 }] } }', 'f');
    const places = reading.kind === 'document' ? reading.document.placeOf : undefined;
    expect(await places?.(['a'])).toEqual({ line: 2, column: 7 });
    expect(await places?.(['a', 'b', 0])).toEqual({ line: 2, column: 20 });
    expect(await places?.(['a', 'b', 1, 'c'])).toEqual({ line: 3, column: 5 });
  });
});

describe('files on disk', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'plugboard-document-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each<[what: string, bytes: Buffer | undefined, expected: string]>([
    ['that are not there', undefined, 'absent'],
    ['in UTF-8 with a byte order mark', Buffer.from('\ufeff{"a":1}'), 'document'],
    ['in UTF-16 LE', Buffer.from('\ufeff{"a":1}', 'utf16le'), 'broken'],
    ['in UTF-16 BE', Buffer.from('\ufeff{"a":1}', 'utf16le').swap16(), 'broken'],
    ['in UTF-16 without a mark', Buffer.from('{"a":1}', 'utf16le'), 'broken'],
    ['in Latin-1', Buffer.from('{"a":"é"}', 'latin1'), 'broken'],
    ['of two megabytes', Buffer.from(`{"a":"${'x'.repeat(2_000_000)}"}`), 'broken'],
    ['that are empty', Buffer.alloc(0), 'broken'],
  ])('%s', async (what, bytes, expected) => {
    const file = join(folder, `${what}.json`);
    if (bytes) writeFileSync(file, bytes);
    const reading = await readDocument(file);
    expect(reading.kind).toBe(expected);
    expect(reading.kind === 'document' ? reading.document.value : { a: 1 }).toEqual({ a: 1 });
    expect(reading.kind === 'broken' ? reading.problem.hint : 'none').not.toBe('');
  });
});
