import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignNames } from './names.js';
import { plainStarts, type ServerTools } from './plain-names.js';

const of = (server: string, ...tools: string[]): ServerTools => ({ server, connector: false, tools });

test('ordinary tools of ordinary servers have the names they ask for', () => {
  const servers = [of('github', 'search', 'createPR'), of('a.b', 'search'), of('none')];
  expect(plainStarts(servers)).toEqual(['mcp__github__', 'mcp__a_b__', 'mcp__none__']);
  expect(plainStarts([{ ...of('My  Drive (beta)', 'list'), connector: true }])).toEqual(['mcp__My_Drive_beta__']);
});

test.each<[why: string, servers: readonly ServerTools[]]>([
  ['a blank in a name', [of('a', 'b c')]],
  ['a line break in a name', [of('a', 'b\nc')]],
  ['no name at all', [of('a', '')]],
  ['a name that is too long', [of('a', 'b'.repeat(57))]],
  ['a tool twice', [of('a', 'b', 'b')]],
  ['tools that differ in case', [of('a', 'read', 'Read')]],
  ['servers that differ in case', [of('a', 'x'), of('A', 'y')]],
  ['servers that look the same', [of('a.b', 'x'), of('a b', 'y')]],
  ['a server whose name starts like another', [of('a', 'b__c'), of('a__b', 'c')]],
  ['a server whose name ends in the separator', [of('a', '_b'), of('a_', 'b')]],
])('with %s the names have to be contested for', (_, servers) => expect(plainStarts(servers)).toBeUndefined());

test('who gets a plain name would have been given the same in any contest', () => {
  const word = fc.stringMatching(/^[aB_]{1,4}$/);
  const server = fc.record({ server: word, connector: fc.boolean(), tools: fc.array(word, { maxLength: 3 }) });
  let plain = 0;
  fc.assert(
    fc.property(fc.uniqueArray(server, { selector: (one) => one.server, maxLength: 4 }), (servers) => {
      const starts = plainStarts(servers);
      if (!starts) return;
      plain++;
      const given = servers.flatMap(({ tools, ...more }) => tools.map((tool) => ({ ...more, tool })));
      const names = servers.flatMap(({ tools }, at) => tools.map((tool) => starts[at] + tool));
      expect(Array.from(assignNames(given).entries(), ([name]) => name)).toEqual(names);
    }),
    { numRuns: 2_000 },
  );
  expect(plain).toBeGreaterThan(200);
});
