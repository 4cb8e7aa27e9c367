import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openHouse } from '../../../test/house.js';
import { rememberRule } from './permissions-edit.js';
import { localFile } from '../scopes/local.js';
import { userFile } from '../scopes/user.js';

const remembered = async (text: string | undefined, rule = 'mcp__s__t'): Promise<string> => {
  using house = openHouse();
  const file = userFile(house.context())!;
  if (text !== undefined) house.write(file, text);
  await rememberRule(house.context(), { rule, scope: 'user' });
  const loaded = await house.load();
  expect(loaded.problems).toEqual([]);
  expect(loaded.permissions.rules.at(-1)?.text).toBe(rule);
  return readFileSync(file, 'utf8');
};

describe('a rule that is to be kept', () => {
  test('makes a file of its own for this project', async () => {
    using house = openHouse();
    await rememberRule(house.context(), { rule: 'mcp__s__t' });
    expect(JSON.parse(readFileSync(localFile(house.context())!, 'utf8'))).toEqual({
      project: house.project,
      settings: { permissions: { allow: ['mcp__s__t'] } },
    });
    expect((await house.load()).permissions.rules).toMatchObject([
      { text: 'mcp__s__t', list: 'allow', source: 'local' },
    ]);
    const { changed } = await rememberRule(house.context(), { rule: 'mcp__s__t' });
    expect(changed).toBe(false);
  });

  test.each<[what: string, before: string, after: string]>([
    [
      'in a list on one line',
      '{"settings":{"permissions":{"allow":["a"]}}}',
      '{"settings":{"permissions":{"allow":["a", "mcp__s__t"]}}}',
    ],
    [
      'below the last one, whose remark stays with it',
      '{\n  "settings": { "permissions": {\n    "allow": [\n      "a", // one\n      "b" // two\n    ] // end\n  } }\n}\n',
      '{\n  "settings": { "permissions": {\n    "allow": [\n      "a", // one\n      "b", // two\n      "mcp__s__t"\n    ] // end\n  } }\n}\n',
    ],
    [
      'behind a trailing comma',
      '{ "settings": { "permissions": {\r\n  "allow": [\r\n    "a",\r\n  ],\r\n} } }',
      '{ "settings": { "permissions": {\r\n  "allow": [\r\n    "a",\r\n    "mcp__s__t",\r\n  ],\r\n} } }',
    ],
  ])('goes %s', async (_, before, after) => {
    expect(await remembered(before)).toBe(after);
  });

  test.each([
    '{ "settings": { "permissions": { "allow": [] } } }',
    '{ "settings": { "permissions": {} } } // end',
    '{ "settings": { "model": "x" /* y */ } }',
    '{ "settings": { "permissions": { "allow": [\n "a" /* two\n lines */\n ] } } }',
    '{ "settings": { "permissions": { "allow": [\n "a"\n , "b" ] } } }',
    '{}',
  ])('comes into whatever is there: %j', async (text) => {
    expect(await remembered(text)).toContain('"mcp__s__t"');
  });

  test('is refused where the file cannot be understood, and nothing is changed', async () => {
    using house = openHouse();
    for (const text of ['{ "settings": ', '{ "settings": { "permissions": { "allow": "x" } } }', '{ "settings": 7 }']) {
      const file = house.write(userFile(house.context())!, text);
      await expect(rememberRule(house.context(), { rule: 'mcp__s__t', scope: 'user' })).rejects.toMatchObject({
        code: 'config-invalid',
      });
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });

  test('of ten at once none is lost', async () => {
    using house = openHouse();
    const rules = Array.from({ length: 10 }, (_, index) => `mcp__s__t${index}`);
    await Promise.all(rules.map((rule) => rememberRule(house.context(), { rule })));
    const { permissions } = await house.load();
    expect(permissions.rules.map(({ text }) => text).toSorted()).toEqual(rules);
  });
});
