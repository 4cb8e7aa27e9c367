import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type House, openHouse } from '../../../test/house.js';
import { transportKindOf } from '../../transports/kinds.js';
import { configHash } from '../entries/config-hash.js';
import { userFile } from '../scopes/user.js';

const mcpServers = {
  plain: { command: 'run' },
  own: { command: 'run', args: ['own'], sandbox: { network: true } },
  out: { command: 'run', args: ['out'], sandbox: false },
  remote: { url: 'https://example.com/mcp' },
};

/** The sandbox of each server above, or its standing if it may not run. */
async function sandboxes(house: House): Promise<Readonly<Record<string, unknown>>> {
  const { servers } = await house.load();
  return Object.fromEntries(
    servers.map(({ name, config, standing }) => [
      name,
      standing.kind === 'ready' ? ((config && transportKindOf(config).sandboxOf?.(config)) ?? 'none') : standing.kind,
    ]),
  );
}

const FREE = { plain: 'none', own: { network: true }, out: 'none', remote: 'none' };
const CONFINED = { plain: {}, own: { network: true }, out: {}, remote: 'none' };
/** Only an administrator's own entry gets more than the administrator's policy gives. */
const FLOOR = { plain: {}, own: {}, out: {}, remote: 'none' };
const GIVEN = { plain: { network: true }, own: { network: true }, out: { network: true }, remote: 'none' };
const CLOSED = { plain: 'denied', own: 'denied', out: 'denied', remote: 'denied' };

interface Case {
  /** The content of managed-settings.json. */
  readonly managed?: unknown;
  /** Fields of the user's file besides its servers. */
  readonly user?: object;
  readonly expected: Readonly<Record<string, unknown>>;
}

test.each<[what: string, given: Case]>([
  ['nobody requires it', { expected: FREE }],
  ['the administrator requires it', { managed: { requireSandbox: true }, expected: FLOOR }],
  ['the administrator gives the network', { managed: { requireSandbox: { network: true } }, expected: GIVEN }],
  [
    'the administrator gives it, and the user does not',
    { managed: { requireSandbox: { network: true } }, user: { requireSandbox: true }, expected: CONFINED },
  ],
  ['the user requires it', { user: { settings: { requireSandbox: true } }, expected: CONFINED }],
  ['the user requires it at the top', { user: { requireSandbox: true }, expected: CONFINED }],
  [
    'both say no',
    { managed: { requireSandbox: false }, user: { settings: { requireSandbox: false } }, expected: FREE },
  ],
  [
    'the user would loosen it',
    { managed: { requireSandbox: true }, user: { settings: { requireSandbox: false } }, expected: FLOOR },
  ],
  [
    'the user would widen it',
    { managed: { requireSandbox: true }, user: { requireSandbox: { network: true } }, expected: FLOOR },
  ],
  [
    'the user tightens it',
    { managed: { requireSandbox: false }, user: { settings: { requireSandbox: true } }, expected: CONFINED },
  ],
  ['it is no yes or no', { managed: { requireSandbox: 'yes' }, expected: CLOSED }],
  ['it has a field that nobody knows', { managed: { requireSandbox: { netwrok: true } }, expected: CLOSED }],
  ['it is null', { user: { settings: { requireSandbox: null } }, expected: CLOSED }],
  ['it is misspelt', { managed: { require_sandbox: true }, expected: CLOSED }],
  ['it is called otherwise', { user: { settings: { requiresSandbox: true } }, expected: CLOSED }],
  ['it stands in the wrong place', { managed: { permissions: { requireSandbox: true } }, expected: CLOSED }],
  ['it stands twice', { managed: '{ "requireSandbox": true, "requireSandbox": false }', expected: CLOSED }],
])('every process runs in a sandbox where that is required: %s', async (_, { managed, user, expected }) => {
  using house = openHouse();
  house.write(userFile(house.context())!, { mcpServers, ...user });
  if (managed !== undefined) house.write(join(house.managed, 'managed-settings.json'), managed);
  expect(await sandboxes(house)).toEqual(expected);
});

test('the file with exclusive control may require it, too', async () => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-mcp.json'), { mcpServers, requireSandbox: true });
  expect(await sandboxes(house)).toEqual(CONFINED);
});

test('a user file that requires it and is broken lets nothing run', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, '{ "settings": { "requireSandbox": true }, ');
  house.write(join(house.project, '.mcp.json'), { mcpServers: { a: { command: 'run' } } });
  const { servers } = await house.load({ approveProject: true });
  expect(servers.map(({ standing }) => standing.kind)).toEqual(['denied']);
});

test('what is wrong with it is told by its name, with what to write', async () => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-settings.json'), '{\n"requireSandbox": 1\n}');
  const { problems } = await house.load();
  const file = join(house.managed, 'managed-settings.json');
  expect(problems).toMatchObject([
    {
      severity: 'error',
      code: 'policy-closed',
      line: 2,
      field: 'requireSandbox',
      message: `${file}: requireSandbox is neither true nor false, so no server may run until this is fixed`,
      hint: 'Write "requireSandbox": true, or remove the field',
    },
  ]);
});

test('a server that a policy puts into a sandbox is another one than before, so that it is started again', async () => {
  using house = openHouse();
  house.write(userFile(house.context())!, { mcpServers });
  const hashes = async (): Promise<string[]> =>
    (await house.load()).servers.map(({ name, config }) => `${name} ${configHash(config!)}`);
  const before = await hashes();
  house.write(join(house.managed, 'managed-settings.json'), { requireSandbox: true });
  const same = (await hashes()).filter((line) => before.includes(line)).map((line) => line.split(' ')[0]);
  expect(same).toEqual(['remote']);
});

test('limits of a policy hold for every server, and an entry only lowers them', async () => {
  using house = openHouse();
  house.write(join(house.managed, 'managed-settings.json'), { requireSandbox: { memoryMb: 256, write: ['/srv'] } });
  const servers = {
    plain: { command: 'run' },
    low: { command: 'run', args: ['low'], sandbox: { memoryMb: 64, processes: 20 } },
    high: { command: 'run', args: ['high'], sandbox: { memoryMb: 9999, write: ['/srv/x', '/etc'], sockets: true } },
  };
  house.write(userFile(house.context())!, { mcpServers: servers });
  expect(await sandboxes(house)).toEqual({
    plain: { memoryMb: 256, write: ['/srv'] },
    low: { memoryMb: 64, processes: 20 },
    high: { memoryMb: 256, write: ['/srv/x', '/etc'], writeWithin: ['/srv'] },
  });
});

test('what an entry asks for in vain is told, with the file that withholds it', async () => {
  using house = openHouse();
  const file = house.write(join(house.managed, 'managed-settings.json'), { requireSandbox: true });
  house.write(userFile(house.context())!, { mcpServers: { own: mcpServers.own } });
  const { problems } = await house.load();
  expect(problems).toMatchObject([
    {
      severity: 'warning',
      code: 'ignored-field',
      server: 'own',
      field: 'sandbox.network',
      message: `is ignored: requireSandbox in ${file} allows no network`,
      hint: 'Ask your administrator',
    },
  ]);
});

test('what plugins and linked files bring does not widen what the user requires', async () => {
  using house = openHouse();
  const file = house.write(userFile(house.context())!, {
    mcpServers: { mine: { command: 'run', args: ['mine'], sandbox: { network: true } } },
    settings: { requireSandbox: true, links: [{ host: 'cursor' }] },
  });
  const brought = {
    mcpServers: { own: { ...mcpServers.own, sandbox: { network: true, write: ['/srv'], sockets: true } } },
  };
  house.write(join(house.home, '.config/plugboard/plugins/p/.mcp.json'), brought);
  house.write(join(house.home, '.cursor/mcp.json'), {
    mcpServers: { linked: { command: 'other', sandbox: { network: true } } },
  });
  expect(await sandboxes(house)).toEqual({ mine: { network: true }, linked: {}, 'plugin:p:own': {} });
  const { problems } = await house.load();
  expect(problems).toContainEqual(
    expect.objectContaining({
      code: 'ignored-field',
      server: 'plugin:p:own',
      field: 'sandbox.network',
      message: `is ignored: requireSandbox in ${file} allows no network`,
      hint: 'Put it into your user or local config',
    }),
  );
});
