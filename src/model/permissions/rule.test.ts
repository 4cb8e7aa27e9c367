import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRule } from './rule.js';

function check(text: unknown, expected: string): void {
  const reading = readRule(text);
  expect(reading.kind === 'rule' ? 'rule' : reading.reason).toContain(expected);
}

describe('somebody can write', () => {
  test.each([
    'mcp__*',
    'mcp__github',
    'mcp__github__*',
    'mcp__github__get_*',
    'mcp__github__get_issue',
    'mcp__my server__read',
    'mcp__x__y__z',
    'mcp__*__delete_*',
    'mcp__Gerät.1__löschen',
    'mcp____proto____x',
    'mcp__a___',
    'Read',
    'ToolSearch',
    'List*',
    'Skill',
    'Skill(pdf)',
    'Skill(my server:fill in)',
    'Skill(docs:*)',
    'constructor',
  ])('%s', (text) => check(text, 'rule'));
});

describe('what would not do what its author believes is told', () => {
  test.each<[text: unknown, reason: string]>([
    ['', 'is empty'],
    ['   ', 'is empty'],
    [' mcp__a', 'blanks around'],
    ['mcp__a\n', 'blanks around'],
    ['mcp__a\nmcp__b', 'do not show'],
    ['mcp__a\u001B[2J', 'do not show'],
    ['mcp__a\u200b', 'do not show'],
    ['mcp__\u202eb', 'do not show'],
    ['*', 'names nothing'],
    ['**', 'names nothing'],
    ['mcp*', 'names nothing'],
    ['mcp_*', 'names nothing'],
    ['tool(*)', 'brackets'],
    ['mcp__a__b(path:/etc/*)', 'brackets'],
    ['Read(./.env)', 'brackets'],
    ['Skill()', 'names no skill'],
    ['Skill( )', 'names no skill'],
    ['Skill( pdf)', 'blanks in its brackets'],
    ['Skill(a(b))', 'brackets'],
    ['Skill(a)b', 'brackets'],
    ['Skill(a,b)', 'brackets'],
    ['Skills(a)', 'brackets'],
    ['a,b', 'comma'],
    ['mcp__a,mcp__b', 'comma'],
    ['mcp__', 'names no server'],
    ['mcp____', 'names no server'],
    ['mcp__a__', 'names no tool'],
    ['my server', 'no name of a tool'],
    ['Read.file', 'no name of a tool'],
    [`mcp__${'a'.repeat(700)}`, '705 characters'],
    [undefined, 'no text'],
    [7, 'no text'],
    [['mcp__a'], 'no text'],
    [{ toString: () => 'mcp__a' }, 'no text'],
  ])('%j %s', (text, reason) => check(text, reason));
});

test('the hint for a rule with arguments is the rule without them', () => {
  expect(readRule('mcp__a__b(x)')).toMatchObject({ hint: expect.stringContaining('"mcp__a__b"') });
});

const anyText = fc.array(fc.integer({ min: 0, max: 0x10ffff })).map((codes) => String.fromCodePoint(...codes));

test('no text makes reading a rule throw', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.anything()), (text) => {
      expect(['rule', 'fault']).toContain(readRule(text).kind);
    }),
    { numRuns: 300 },
  );
});
