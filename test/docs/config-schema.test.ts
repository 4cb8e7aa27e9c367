import { describe, expect, test } from 'vitest';
import { SETTINGS_FIELDS } from '../../src/config/policy/settings-fields.js';
import { userFile } from '../../src/config/scopes/user.js';
import type { ConfigField } from '../../src/model/fields/shape.js';
import { kinds, parseEntry } from '../../src/transports/kinds.js';
import { openHouse } from '../house.js';
import { editorSays, editorSaysOfEntry, expectEntryAgreement } from '../schema-agreement.js';

/** The least that an entry of each kind needs. */
function leastEntry(type: string): Record<string, unknown> {
  const { table } = kinds.find((kind) => kind.type === type)!;
  const needed = Object.entries<ConfigField>(table).filter(([, { isRequired }]) => isRequired === true);
  return { type, ...Object.fromEntries(needed.map(([name, { example }]) => [name, example])) };
}

const fields = kinds.flatMap(({ type, table }) =>
  Object.entries<ConfigField>(table).map(([name, field]) => ({ type, name, field })),
);
const ODD = [null, 5, -1, 0.5, 'x', '', [], ['x'], [1], {}, { a: 1 }, { a: 'x' }, true, false];

describe('an entry', () => {
  test.each(fields)('of type $type with the documented example of $name is right', ({ type, name, field }) => {
    const raw = { ...leastEntry(type), ...(field.example !== undefined && { [name]: field.example }) };
    expect([parseEntry(raw).issues, editorSaysOfEntry(raw)]).toEqual([[], []]);
  });

  test.each(fields)('of type $type with a value of another type in $name is refused by both', ({ type, name }) => {
    for (const value of ODD) {
      const raw = { ...leastEntry(type), [name]: value };
      const isRefused = parseEntry(raw).issues.some(({ message }) => message.startsWith('expected'));
      expect({ value, isRefused: editorSaysOfEntry(raw).length > 0 || !isRefused }).toEqual({ value, isRefused: true });
      expectEntryAgreement(raw);
    }
  });

  test.each<[unknown]>([
    [{ comand: 'x' }],
    [{ command: 'x', unknown: 1 }],
    [{ command: 'x', url: 'https://h' }],
    [{ type: 'http', command: 'x' }],
    [{ type: 'stdio', url: 'https://h' }],
    [{ type: 'nothing', url: 'https://h' }],
    [{ command: ' ' }],
    [{ command: 'x', sandbox: { networks: true } }],
    [{ url: 'https://h', oauth: { clientID: 'x' } }],
    [{ url: 'https://h', args: [] }],
    [{ command: 'x', env: { 'A=B': 'x' } }],
    [{ url: 'https://h', headers: { 'a b': 'x' } }],
    [{}],
    [[]],
    [null],
  ])('%j is refused by both', (raw) => {
    expect(parseEntry(raw).issues).not.toEqual([]);
    expect(editorSaysOfEntry(raw)).not.toEqual([]);
  });
});

/** Loads one of the user's files. House.load itself compares loader and schema. */
async function check(content: object): Promise<{ readonly told: readonly string[]; readonly says: readonly string[] }> {
  using house = openHouse();
  const file = userFile(house.context())!;
  house.write(file, content);
  const { problems } = await house.load();
  // Which hosts there are is not a question of the fields.
  const told = problems
    .filter((problem) => problem.file === file && problem.code !== 'odd-value')
    .map(({ field, message }) => `${field}: ${message}`);
  return { told, says: editorSays(file, content) };
}

const settings = Object.entries<ConfigField>(SETTINGS_FIELDS).map(([name, field]) => ({ name, ...field }));

describe('settings', () => {
  test.each(settings)('the documented example of $name is right', async ({ name, example }) => {
    expect(example).toBeDefined();
    expect(await check({ settings: { [name]: example } })).toEqual({ told: [], says: [] });
  });

  test.each(settings)('a value of another type in $name is refused by both', async ({ name }) => {
    for (const value of ODD) {
      const { told, says } = await check({ settings: { [name]: value } });
      expect({ value, told: told.length > 0 }).toEqual({ value, told: says.length > 0 });
    }
  });

  test.each<[object]>([
    [{ permisions: {} }],
    [{ permissions: { allow: ['mcp__a'], denny: [] } }],
    [{ permissions: { mode: 'yolo' } }],
    [{ permissions: { servers: { a: {} } } }],
    [{ hooks: { PreTool: [] } }],
    [{ hooks: { PreToolUse: [{ hooks: [{ command: '' }] }] } }],
    [{ hooks: { PreToolUse: [{ hooks: [{ command: 'x', timeout: 0 }] }] } }],
    [{ deniedMcpServers: [{ serverName: 'a', serverUrl: 'https://b' }] }],
    [{ deniedMcpServers: [{ serverCommand: [] }] }],
    [{ requireSandbox: { networks: true } }],
    [{ xaaIdp: { issuer: 'https://a', clientId: 'b', callbackPort: 'x' } }],
    [{ agents: { reviewer: { description: 'x' } } }],
    [{ links: [{ file: 'x' }] }],
  ])('%j is refused by both', async (wrong) => {
    const { told, says } = await check({ settings: wrong });
    expect([told.length > 0, says.length > 0]).toEqual([true, true]);
  });
});

test('a project file without servers is refused by both, an empty one by none', async () => {
  using house = openHouse();
  const file = `${house.project}/.mcp.json`;
  house.write(file, { servers: {} });
  expect([(await house.load()).problems.length, editorSays(file, { servers: {} }).length > 0]).toEqual([1, true]);
  house.write(file, {});
  expect([(await house.load()).problems, editorSays(file, {})]).toEqual([[], []]);
});

test('a repository that loosens its own rules is told so by both', async () => {
  using house = openHouse();
  const file = `${house.project}/.plugboard/settings.json`;
  for (const loose of [{ allow: ['mcp__a'] }, { mode: 'bypass' }, { servers: { a: { mode: 'bypass' } } }]) {
    const content = { permissions: { deny: ['mcp__b'], ...loose } };
    house.write(file, content);
    expect([(await house.load()).problems.length, editorSays(file, content).length > 0]).toEqual([1, true]);
  }
});
