import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hasMixedScript } from '../text/mixed-script.js';
import { nameSuffix } from './name-suffix.js';
import { assignNames, type NamedTool, toConnectorPart } from './names.js';

const BUILT_IN = ['Read', 'Bash', 'ListMcpResources', 'ReadMcpResource', 'ToolSearch'];
const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;

/** Names the pairs in both orders, and checks what holds for every table. */
function names(tools: readonly NamedTool[]): string[] {
  const table = assignNames(tools, { reserved: BUILT_IN });
  const reversed = assignNames(tools.toReversed(), { reserved: BUILT_IN });
  const found = tools.map(({ server, tool }) => table.nameOf(server, tool)!);
  for (const [index, { server, tool }] of tools.entries()) {
    expect(found[index]).toMatch(LEGAL);
    expect(reversed.nameOf(server, tool)).toBe(found[index]);
    expect(table.lookup(found[index]!)).toMatchObject({ server, tool });
  }
  expect(new Set(found.map((name) => name.toLowerCase())).size).toBe(found.length);
  return found;
}

const of = (server: string, tool: string): NamedTool => ({ server, tool });
const bare = (tool: string, server = 'desk'): NamedTool => ({ server, tool, prefix: false });
const suffixed = (start: string, server: string, tool: string): string => `${start}_${nameSuffix(server, tool)}`;

describe('a lone tool is called after its server and itself', () => {
  test.each<[server: string, tool: string, name: string]>([
    ['github', 'search', 'mcp__github__search'],
    ['github', 'search_issues', 'mcp__github__search_issues'],
    ['my-server', 'do-it', 'mcp__my-server__do-it'],
    ['GitHub', 'createPR', 'mcp__GitHub__createPR'],
    ['a', 'b', 'mcp__a__b'],
    ['1', '2', 'mcp__1__2'],
    ['a.b', 'c', 'mcp__a_b__c'],
    ['a b', 'c', 'mcp__a_b__c'],
    ['plugin:tools:db', 'query', 'mcp__plugin_tools_db__query'],
    ['github@work', 'search', 'mcp__github_work__search'],
    ['a', 'fs/read.file', 'mcp__a__fs_read_file'],
    ['a', 'tool(*)', 'mcp__a__tool___'],
    ['a', '*', 'mcp__a___'],
    ['a', 'a,b', 'mcp__a__a_b'],
    ['x__y', 'z', 'mcp__x__y__z'],
    ['x', '__z__', 'mcp__x____z__'],
    ['x', '', 'mcp__x___'],
    ['', 'x', 'mcp_____x'],
    ['', '', 'mcp______'],
    [' ', '\n', 'mcp______'],
    ['a', 'read\nfile', 'mcp__a__read_file'],
    ['a', '\u001b[31mred', 'mcp__a____31mred'],
    ['a', '\u0000', 'mcp__a___'],
    ['a', '🙂', 'mcp__a____'],
    ['a', '\ud83d', 'mcp__a___'],
    ['a', 're\u0430d_file', 'mcp__a__re_d_file'],
    ['a', 'café', 'mcp__a__caf_'],
    ['a', '検索', 'mcp__a____'],
    ['__proto__', '__proto__', 'mcp____proto______proto__'],
    ['constructor', 'toString', 'mcp__constructor__toString'],
    ['hasOwnProperty', 'valueOf', 'mcp__hasOwnProperty__valueOf'],
    ['desk', 'Read', 'mcp__desk__Read'],
    ['mcp', 'mcp__a__b', 'mcp__mcp__mcp__a__b'],
    ['s'.repeat(28), 't'.repeat(29), `mcp__${'s'.repeat(28)}__${'t'.repeat(29)}`],
  ])('server %j and tool %j', (server, tool, name) => expect(names([of(server, tool)])).toEqual([name]));
});

describe('a connector is named without the debris of its title', () => {
  test.each([
    ['claude.ai Google Drive', 'claude_ai_Google_Drive'],
    ['My  Drive (beta)', 'My_Drive_beta'],
    ['__x__', 'x'],
    ['a__b', 'a_b'],
    ['a-b', 'a-b'],
    ['🙂', '_'],
    ['_', '_'],
    ['___', '_'],
    ['', '_'],
  ])('%j', (title, part) => {
    expect(toConnectorPart(title)).toBe(part);
    expect(names([{ server: title, tool: 'list__all', connector: true }])).toEqual([`mcp__${part}__list__all`]);
  });
});

describe('a name that is too long is cut, marked with its hash, and still shows server and tool', () => {
  test.each<[server: string, tool: string, start: string]>([
    ['github', 't'.repeat(300), `mcp__github__${'t'.repeat(40)}`],
    ['s'.repeat(300), 'search', `mcp__${'s'.repeat(28)}__search`],
    ['s'.repeat(300), 't'.repeat(300), `mcp__${'s'.repeat(28)}__${'t'.repeat(18)}`],
    ['s'.repeat(28), 't'.repeat(30), `mcp__${'s'.repeat(28)}__${'t'.repeat(18)}`],
    ['\u0430'.repeat(200), 'search', `mcp__${'_'.repeat(28)}__search`],
    ['a', '🙂'.repeat(150), `mcp__a__${'_'.repeat(45)}`],
  ])('%#', (server, tool, start) => expect(names([of(server, tool)])).toEqual([suffixed(start, server, tool)]));

  test('two that differ only beyond the cut stay apart', () => {
    const [first, second] = names([of('a', `${'t'.repeat(200)}1`), of('a', `${'t'.repeat(200)}2`)]);
    expect(first!.slice(0, 53)).toBe(second!.slice(0, 53));
  });
});

/** The first pair of each case keeps the plain name. */
describe('tools whose names come out alike all stay callable', () => {
  test.each<[title: string, plain: string, pairs: [server: string, tool: string][]]>([
    [
      'an exact tool over dot and blank',
      'mcp__s__a_b',
      [
        ['s', 'a_b'],
        ['s', 'a.b'],
        ['s', 'a b'],
      ],
    ],
    [
      'an exact server over dot and blank',
      'mcp__a_b__t',
      [
        ['a_b', 't'],
        ['a b', 't'],
        ['a.b', 't'],
      ],
    ],
    [
      'the order of code units where nobody is exact',
      'mcp__s__a_b',
      [
        ['s', 'a b'],
        ['s', 'a.b'],
      ],
    ],
    [
      'the separator in the server before that in the tool',
      'mcp__x__y__z',
      [
        ['x__y', 'z'],
        ['x', 'y__z'],
      ],
    ],
    [
      'three ways to cut one name',
      'mcp__x__y__z__w',
      [
        ['x__y__z', 'w'],
        ['x__y', 'z__w'],
        ['x', 'y__z__w'],
      ],
    ],
    [
      'an underscore between the halves',
      'mcp__x___y',
      [
        ['x_', 'y'],
        ['x', '_y'],
      ],
    ],
    [
      'case in a tool',
      'mcp__s__OPEN',
      [
        ['s', 'OPEN'],
        ['s', 'Open'],
        ['s', 'open'],
      ],
    ],
    [
      'case in a server',
      'mcp__GITHUB__t',
      [
        ['GITHUB', 't'],
        ['github', 't'],
        ['GitHub', 't'],
      ],
    ],
    [
      'case and spelling at once',
      'mcp__s__a_b',
      [
        ['s', 'a_b'],
        ['s', 'A.B'],
        ['s', 'A B'],
      ],
    ],
    [
      'the empty name and an underscore',
      'mcp__s___',
      [
        ['s', '_'],
        ['s', ''],
        ['s', ' '],
        ['s', '\n'],
      ],
    ],
    [
      'homoglyphs',
      'mcp__s__re_d',
      [
        ['s', 're_d'],
        ['s', 're\u0430d'],
        ['s', 're\u03b1d'],
      ],
    ],
    [
      'lone surrogates',
      'mcp__s___',
      [
        ['s', '\ud800'],
        ['s', '\ud801'],
        ['s', '\udfff'],
      ],
    ],
    [
      'prototype names',
      'mcp__s____proto__',
      [
        ['s', '__proto__'],
        ['s', '_.proto__'],
        ['s', '..proto..'],
      ],
    ],
  ])('%s', (_title, plain, pairs) => {
    const [first, ...others] = names(pairs.map(([server, tool]) => of(server, tool)));
    expect(first).toBe(plain);
    const suffixes = pairs.slice(1).map(([server, tool]) => `_${nameSuffix(server, tool)}`);
    expect(others.map((name) => name.slice(-11))).toEqual(suffixes);
  });
});

describe('a built-in tool is never shadowed', () => {
  const long = 't'.repeat(65);
  test.each<[title: string, tools: NamedTool[], expected: string[]]>([
    ['a free name stays bare', [bare('open_file')], ['open_file']],
    ['the name of a built-in gets the prefix back', [bare('Read')], ['mcp__desk__Read']],
    ['so it does in another case', [bare('READ')], ['mcp__desk__READ']],
    ['only that one', [bare('Tool.Search'), bare('ToolSearch')], ['Tool_Search', 'mcp__desk__ToolSearch']],
    ['a bare name cannot pose as a tool of a server', [bare('mcp__bank__pay')], ['mcp__desk__mcp__bank__pay']],
    ['not in another case either', [bare('MCP__bank__pay')], ['mcp__desk__MCP__bank__pay']],
    ['one of two bare twins keeps the name', [bare('go', 'b'), bare('go', 'a')], ['mcp__b__go', 'go']],
    ['the exact spelling keeps it', [bare('a.b'), bare('a_b')], ['mcp__desk__a_b', 'a_b']],
    ['an empty bare name', [bare('')], ['_']],
    [
      'a prefix that comes back can meet a twin',
      [bare('Read'), bare('read')],
      ['mcp__desk__Read', suffixed('mcp__desk__read', 'desk', 'read')],
    ],
    ['a bare name too long for a model', [bare(long)], [suffixed(`mcp__desk__${'t'.repeat(42)}`, 'desk', long)]],
    ['a bare name of just the right length', [bare('t'.repeat(64))], ['t'.repeat(64)]],
  ])('%s', (_title, tools, expected) => expect(names(tools)).toEqual(expected));

  test('a reserved name with a prefix is kept free as well', () => {
    const table = assignNames([of('db', 'authenticate')], { reserved: ['mcp__db__authenticate'] });
    expect(table.nameOf('db', 'authenticate')).toBe(suffixed('mcp__db__authenticate', 'db', 'authenticate'));
  });
});

test('a tool named like the suffixed name of another leaves that one callable', () => {
  const squatted = suffixed('a_b', 's', 'a.b');
  const found = names([of('s', 'a_b'), of('s', 'a.b'), of('s', squatted)]);
  expect(found).toEqual(['mcp__s__a_b', `mcp__s__a_b_${nameSuffix('s', 'a.b', 1)}`, `mcp__s__${squatted}`]);
});

test('a server that joins does not rename the suffixed tools of the others', () => {
  const before = [of('s', 'a_b'), of('s', 'a.b'), of('s', 'x'.repeat(90))];
  const after = names([of('s.', 'a b'), of('s', 'a b'), ...before, of('t', 'x'.repeat(90))]);
  expect(after.slice(2, 5)).toEqual(names(before));
});

test('a pair that a server lists twice is named once, for the first of the two', () => {
  const table = assignNames([
    { server: 's', tool: 't', version: 1 },
    { server: 's', tool: 't', version: 2 },
  ]);
  expect([...table.entries()]).toEqual([['mcp__s__t', { server: 's', tool: 't', version: 1 }]]);
});

test.each(['mcp__s__nothing', '', '__proto__', 'constructor', 'toString', 'MCP__S__T', 'mcp__s__t '])(
  'a name nobody was given, %j, finds nothing',
  (name) => expect(assignNames([of('s', 't')]).lookup(name)).toBeUndefined(),
);

test.each([
  ['s', 'constructor'],
  ['__proto__', 't'],
  ['s__t', ''],
])('a pair nobody gave, %j and %j, has no name', (server, tool) => {
  expect(assignNames([of('s', 't')]).nameOf(server, tool)).toBeUndefined();
});

test.each([
  ['', ''],
  ['a', 'b'],
  ['server', 'x'.repeat(18)],
  ['server', 'x'.repeat(19)],
  ['server', 'x'.repeat(300)],
  ['\ud800', '🙂'],
])('a suffix is the start of a SHA-256, so nobody can aim it: %#', (server, tool) => {
  const bytes = Buffer.from(`0:${server.length}:${server}${tool}`, 'utf16le').swap16();
  const digest = [...createHash('sha256').update(bytes).digest()];
  const bits = digest.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const fives = bits.slice(0, 50).match(/.{5}/g)!;
  expect(nameSuffix(server, tool)).toBe(
    fives.map((five) => 'abcdefghijkmnpqrstuvwxyz23456789'[Number.parseInt(five, 2)]).join(''),
  );
});

describe('a person is told of a name that poses as Latin', () => {
  test.each([
    ['read_file', false],
    ['re\u0430d_file', true],
    ['\u0440\u0430\u0443\u0440\u0430l', true],
    ['\u03bfpen', true],
    ['поиск', false],
    ['поиск_αβγ', true],
    ['ｒｅａｄ', true],
    ['𝐫ead', true],
    ['ᏒᎬᎪᎠx', true],
    ['検索_search', false],
    ['검색', false],
    ['café_naïve', false],
    ['بحث', false],
    ['🙂_ok', false],
    ['', false],
  ])('%s: %s', (name, expected) => expect(hasMixedScript(name)).toBe(expected));
});
