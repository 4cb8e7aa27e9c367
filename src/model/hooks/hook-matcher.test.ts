import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { parseHookMatcher } from './hook-matcher.js';
import { cpuMs } from '../../../test/cpu-time.js';

function matches(source: string | undefined, name: string): boolean | undefined {
  const matcher = parseHookMatcher(source);
  if (matcher.kind === 'unreadable') throw new Error(matcher.reason);
  return matcher.matches(name);
}

test.each<[string | undefined, readonly string[], readonly string[]]>([
  [undefined, ['Read', 'mcp__a__b'], []],
  ['', ['Read'], []],
  ['*', ['Read'], []],
  ['Read', ['Read'], ['Reader', 'read', 'ThRead']],
  ['Read|mcp__db__*', ['Read', 'mcp__db__query', 'mcp__db__'], ['mcp__db', 'mcp__dbs__query']],
  ['Read | Write , Edit', ['Read', 'Write', 'Edit'], ['Read ', 'ReadWrite']],
  ['mcp__*__write*', ['mcp__fs__write', 'mcp__fs__write_file', 'mcp__a__b__write'], ['mcp__fs__overwrite', 'write']],
  ['mcp__?s__t', ['mcp__fs__t'], ['mcp__s__t', 'mcp__ffs__t']],
  // A server's name alone means all tools of this server.
  ['mcp__memory', ['mcp__memory', 'mcp__memory__add'], ['mcp__memory2__add', 'mcp__memor__y']],
  ['mcp__a', ['mcp__a__t'], ['mcp__ab__t']],
  // As hooks of other hosts are written: dot and star mean a regular expression.
  ['mcp__memory__.*', ['mcp__memory__add'], ['mcp__memory', 'xmcp__memory__add']],
  ['mcp__.*__write.*', ['mcp__fs__write_file'], ['mcp__fs__read']],
  ['^mcp__(db|fs)__', [], ['mcp__db__query']],
  ['^mcp__(db|fs)__\\w+$', ['mcp__db__query'], ['mcp__net__get']],
  ['Read|mcp__(db|fs)__.+', ['Read', 'mcp__fs__x'], ['Reads', 'mcp__net__x']],
  ['(?!mcp__).*', ['Read'], ['mcp__db__query']],
  // Matchers of elicitation hooks: a server's name may contain spaces and dots.
  ['My Server', ['My Server'], ['My Servers']],
  ['my.server', ['my.server'], ['my-server']],
])('%j is for %j and not for %j', (source, yes, no) => {
  expect([yes.filter((name) => !matches(source, name)), no.filter((name) => matches(source, name))]).toEqual([[], []]);
});

test.each<[string, string]>([
  ['[a-', 'is no regular expression that can be used here: it leaves a class open'],
  ['a)|(b', 'is no regular expression that can be used here: it closes a group that was never opened'],
  ['(a)\\1', 'is no regular expression that can be used here: it refers back to what it matched'],
  ['(', 'is no regular expression that can be used here: it leaves a group open'],
  [`(${'x'.repeat(5000)})`, 'has 5002 characters; 4096 are read'],
])('what cannot be read says why: %#', (source, reason) => {
  expect(parseHookMatcher(source)).toEqual({ kind: 'unreadable', reason });
});

/** Whether the matcher matches, or why it cannot be read. */
function ask(source: string, name: string): boolean | string | undefined {
  const matcher = parseHookMatcher(source);
  return matcher.kind === 'readable' ? matcher.matches(name) : matcher.reason;
}

test('no matcher takes long, whatever it is', () => {
  const name = `mcp__${'a'.repeat(59)}`;
  const sources = ['(a+)+$b', '(a|a)*c', `${'*a'.repeat(2000)}*b`, '(.*)*(.*)*(.*)*x', '((a{1,50}){1,50}){1,50}b'];
  const askAll = (): readonly unknown[] => sources.map((source) => ask(source, name));
  expect(askAll().filter((answer) => answer === true)).toEqual([]);
  expect(cpuMs(askAll)).toBeLessThan(500);
});

test('anything at all can be asked about', () => {
  const likely = fc.constantFrom(...'am_9*?.|, ()[]{}+\\^$-'.split(''));
  const source = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: likely, maxLength: 40 }));
  const sensible = ['boolean', 'string', 'undefined'];
  fc.assert(
    fc.property(source, fc.string({ unit: anyCharacter }), (text, name) => {
      expect(sensible).toContain(typeof ask(text, name));
    }),
    { numRuns: process.env['PLUGBOARD_FULL'] === undefined ? 40 : 2000 },
  );
});

test('a glob without wildcards is for exactly its own name', () => {
  const letter = fc.constantFrom(...'aBz09_-'.split(''));
  const plain = fc.string({ unit: letter, minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(plain, plain, (one, other) => {
      expect([matches(one, one), matches(one, other)]).toEqual([true, one === other]);
    }),
  );
});
