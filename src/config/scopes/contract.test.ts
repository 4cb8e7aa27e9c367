import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type House, openHouse } from '../../../test/house.js';
import type { ConfigOptions } from '../context.js';
import type { HostConfig } from '../load.js';
import { localFile } from './local.js';
import { scopeNames } from '../scope.js';
import { catalogueFile } from './connectors.js';
import { scopes } from './all.js';
import { userFile } from './user.js';

/** How a server gets into one scope: the file to write, and its name after loading. */
interface ScopeCase {
  readonly scope: (typeof scopeNames)[number];
  readonly file: (house: House) => string;
  /** Other files that this scope needs. */
  readonly prepare?: (house: House) => void;
  readonly options?: (house: House) => ConfigOptions;
  readonly rename?: (name: string) => string;
  readonly standing?: 'unapproved';
  /** The origin, if it is not the file. */
  readonly origin?: string;
  readonly hasLines?: false;
  /** A catalogue from the network must not use variables of this machine. */
  readonly expands?: false;
}

const url = 'https://catalogue.example/list';
const catalogue = { url, origin: url };
const cases: readonly ScopeCase[] = [
  { scope: 'enterprise', file: (house) => join(house.managed, 'managed-mcp.json') },
  {
    scope: 'dynamic',
    file: (house) => join(house.root, 'extra.json'),
    options: (house) => ({ mcpConfig: [join(house.root, 'extra.json')] }),
  },
  { scope: 'local', file: (house) => localFile(house.context())! },
  { scope: 'project', file: (house) => join(house.project, '.mcp.json'), standing: 'unapproved' },
  { scope: 'user', file: (house) => userFile(house.context())! },
  {
    scope: 'linked',
    file: (house) => join(house.home, '.cursor/mcp.json'),
    prepare: (house) => house.write(userFile(house.context())!, { settings: { links: [{ host: 'cursor' }] } }),
  },
  {
    scope: 'plugin',
    file: (house) => join(house.home, '.config/plugboard/plugins/tools/.mcp.json'),
    rename: (name) => `plugin:tools:${name}`,
  },
  {
    scope: 'connectors',
    file: (house) => catalogueFile(house.context(), catalogue)!,
    prepare: (house) => house.write(userFile(house.context())!, { settings: { connectors: { url } } }),
    origin: url,
    hasLines: false,
    expands: false,
  },
];

/** Writes the file and loads the configuration. */
async function load(house: House, scope: ScopeCase, content: unknown): Promise<HostConfig> {
  scope.prepare?.(house);
  house.write(scope.file(house), content);
  return house.load(scope.options?.(house));
}

function find(loaded: HostConfig, scope: ScopeCase, name: string): HostConfig['servers'][number] | undefined {
  const called = scope.rename?.(name) ?? name;
  return loaded.servers.find((server) => server.name === called && server.scope === scope.scope);
}

test('every scope has its case here, strongest first', () => {
  expect(cases.map(({ scope }) => scope)).toEqual(scopeNames);
  expect(scopes.map(({ name }) => name)).toEqual(scopeNames);
});

test.each(cases)('$scope: a server is found, with the place it comes from', async (scope) => {
  using house = openHouse();
  const loaded = await load(house, scope, { mcpServers: { notes: { command: 'node', args: ['x.js'] } } });
  const server = find(loaded, scope, 'notes');
  expect(server?.standing.kind).toBe(scope.standing ?? 'ready');
  expect(server?.origin).toBe(scope.origin ?? scope.file(house));
  expect(server?.config).toMatchObject({ type: 'stdio', command: 'node', args: ['x.js'] });
  expect(loaded.problems).toEqual([]);
});

test.each(cases)(
  '$scope: a bad entry is named by file, line, server and field, and its neighbour stays',
  async (scope) => {
    using house = openHouse();
    const text =
      '{\n  "mcpServers": {\n    "bad": {\n      "command": 7\n    },\n    "good": { "url": "https://a.example/mcp" }\n  }\n}';
    const loaded = await load(house, scope, text);
    expect(find(loaded, scope, 'bad')?.standing.kind).toBe('invalid');
    expect(find(loaded, scope, 'good')?.standing.kind).toBe(scope.standing ?? 'ready');
    const problem = loaded.problems.find(({ server }) => server === (scope.rename?.('bad') ?? 'bad'));
    expect(problem).toMatchObject({
      severity: 'error',
      field: 'command',
      message: expect.stringContaining('expected a string'),
    });
    expect(problem?.file).toBe(scope.origin ?? scope.file(house));
    expect(problem?.line).toBe(scope.hasLines === false ? undefined : 4);
    expect(problem?.hint).not.toBe('');
  },
);

const brokenTexts: readonly (readonly [what: string, content: string | Buffer])[] = [
  ['a half-written file', '{ "mcpServers": { "a": { "command": "x"'],
  ['an empty file', ''],
  ['an array', '[]'],
  ['servers that are an array', '{ "mcpServers": [] }'],
  ['servers that are null', '{ "mcpServers": null }'],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
  ['a depth of 10,000', '{"mcpServers":'.repeat(1) + '['.repeat(10_000) + ']'.repeat(10_000) + '}'],
  ['2 MB', `{ "mcpServers": {}, "x": "${'y'.repeat(2_100_000)}" }`],
];
const brokenCases = cases.flatMap((scope) => brokenTexts.map(([what, content]) => ({ scope, what, content })));

test.each(brokenCases)(
  '$scope.scope: $what is a problem with a way out, and throws nothing',
  async ({ scope, content, what }) => {
    using house = openHouse();
    const loaded = await load(house, scope, content);
    // A user's file of another host may be larger than our own, so this one is read.
    const isFine = what === '2 MB' && scope.scope === 'linked';
    const own = loaded.problems.filter(({ severity }) => severity === 'error');
    expect(own.length === 0).toBe(isFine);
    for (const problem of own) expect(problem.hint).not.toBe('');
  },
);

test.each(cases)('$scope: comments, trailing commas and a BOM are read', async (scope) => {
  using house = openHouse();
  const text = '\ufeff{ // servers\n "mcpServers": { /* one */ "a": { "command": "x", "args": ["1",], }, }, }';
  const loaded = await load(house, scope, text);
  expect(find(loaded, scope, 'a')?.config).toMatchObject({ command: 'x', args: ['1'] });
  expect(loaded.problems).toEqual([]);
});

test.each(cases)('$scope: odd names stay names and touch nothing else', async (scope) => {
  using house = openHouse();
  const names = ['__proto__', 'constructor', 'toString', 'a b', 'ünïcode', '🙂', 'x__y', 'A', 'a'];
  const entries = names.map(
    (name) => `${JSON.stringify(name)}: { "command": "run", "args": [${JSON.stringify(name)}] }`,
  );
  const loaded = await load(house, scope, `{ "mcpServers": { ${entries.join(', ')} } }`);
  for (const name of names) expect(find(loaded, scope, name)?.config).toMatchObject({ args: [name] });
  expect(({} as Record<string, unknown>)['command']).toBeUndefined();
});

test.each(cases)('$scope: variables are expanded, a missing one is named and stays as written', async (scope) => {
  using house = openHouse();
  house.env['GIVEN'] = 'yes';
  const entry = { command: 'run', args: ['${GIVEN}', '${ABSENT_HERE}', '${ABSENT_HERE:-default}', '$GIVEN'] };
  const loaded = await load(house, scope, { mcpServers: { a: entry } });
  const expanded = ['yes', '${ABSENT_HERE}', 'default', '$GIVEN'];
  expect(find(loaded, scope, 'a')?.config).toMatchObject({ args: scope.expands === false ? entry.args : expanded });
  const warned = loaded.problems.filter(({ code }) => code === 'missing-variable');
  const isTold = scope.standing !== 'unapproved' && scope.expands !== false;
  expect(warned.map(({ field }) => field)).toEqual(isTold ? ['args[1]'] : []);
});

test.each(cases)('$scope: a denied server is shown with the rule that denies it', async (scope) => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-settings.json'), { deniedMcpServers: [{ serverCommand: ['evil', '*'] }] });
  const loaded = await load(house, scope, {
    mcpServers: { a: { command: 'evil', args: ['x'] }, b: { command: 'good' } },
  });
  expect(find(loaded, scope, 'a')?.standing).toMatchObject({
    kind: 'denied',
    reason: expect.stringContaining('managed-settings.json'),
  });
  expect(find(loaded, scope, 'b')?.standing.kind).toBe(scope.standing ?? 'ready');
});

test.each(cases)('$scope: the file is among those to be watched', async (scope) => {
  using house = openHouse();
  const loaded = await load(house, scope, { mcpServers: {} });
  expect(loaded.watched).toContain(scope.file(house));
});
