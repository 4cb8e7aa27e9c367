import { expect, test } from 'vitest';
import { openHouse } from '../../../test/house.js';
import { userFile } from '../scopes/user.js';
import type { HostConfig } from '../load.js';

/** Each on a line of its own, from line 3. */
async function load(presets: Readonly<Record<string, unknown>>): Promise<HostConfig> {
  using house = openHouse();
  const lines = Object.entries(presets).map(([name, preset]) => `${JSON.stringify(name)}: ${JSON.stringify(preset)}`);
  house.write(userFile(house.context())!, `{"settings": {"gateway": {\n"presets": {\n${lines.join(',\n')}}}}}`);
  return await house.load();
}

const FINE = { servers: ['files'], tools: ['mcp__files__read_*'], list: 'search' };

test.each<[unknown, string, string, string]>([
  [{ server: ['files'] }, '.server', 'unknown field "server"', 'Did you mean "servers"?'],
  [{ zzz: 1 }, '.zzz', 'unknown field "zzz"', 'Fields of a preset are: servers, tools, list'],
  [{ list: 'serch' }, '.list', '"list" is "serch", and may be "all", "search" or "auto"', 'Did you mean "search"?'],
  [{ list: 7 }, '.list', '"list" is 7, and may be "all", "search" or "auto"', 'Write "list": "all", or leave it out'],
  [
    { servers: 'files' },
    '.servers',
    '"servers" is "files", and has to be an array of names',
    'Write "servers": ["files"]',
  ],
  [{ servers: ['files', 7] }, '.servers[1]', '"servers" has 7, which is no name', 'Write "servers": ["NAME"]'],
  [{ tools: {} }, '.tools', '"tools" is an object, and has to be an array of rules', 'Write "tools": ["mcp__NAME"]'],
  [{ tools: ['mcp__files', 'mcp__files__'] }, '.tools[1]', 'the rule "mcp__files__" names no tool', 'mcp__files__*'],
  [{ tools: ['Skill(x)'] }, '.tools[0]', 'the rule "Skill(x)" names one skill', 'Write "Skill"'],
  [['files'], '', 'is an array, and has to be an object with "servers", "tools" or "list"', '"two": { "servers"'],
])('a preset that is %j is told where it stands, and is lost alone', async (two, field, message, hint) => {
  const { settings, problems } = await load({ one: FINE, two, three: {} });
  expect(settings.gateway).toEqual({ presets: { one: FINE, three: {} }, unread: ['@two'] });
  expect(problems).toMatchObject([
    {
      severity: 'error',
      line: 4,
      field: `settings.gateway.presets.two${field}`,
      message: expect.stringContaining(`preset "two": ${message}`),
      hint: expect.stringContaining(hint),
    },
  ]);
});

test('a name that no address can have is told, and each fault of a preset', async () => {
  const { settings, problems } = await load({ 'a b': {}, two: { server: [], list: 'al' } });
  expect(settings.gateway?.presets).toEqual({});
  expect(problems.map(({ line, message }) => [line, message])).toEqual([
    [3, 'preset "a b": the name may have 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-"'],
    [4, 'preset "two": unknown field "server"'],
    [4, 'preset "two": "list" is "al", and may be "all", "search" or "auto"'],
  ]);
});

test('other fields of the gateway still are told beside a preset', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, {
    settings: { gateway: { ask: 'no', ak: 1, presets: { two: { list: 'x' }, one: FINE } } },
  });
  const { settings, problems } = await house.load();
  expect(settings.gateway).toEqual({ presets: { one: FINE }, unread: ['@two', 'ask'] });
  expect(new Set(problems.map(({ field }) => field))).toEqual(
    new Set(['ak', 'ask', 'presets.two.list'].map((field) => `settings.gateway.${field}`)),
  );
  expect(problems).toHaveLength(3);
});
