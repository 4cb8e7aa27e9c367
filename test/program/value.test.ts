import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT_FILE, makeSandbox, type Sandbox, USER_FILE } from './sandbox.js';

const LEDGER = 'home/.local/state/plugboard/ledger/calls.jsonl';
const entry = { command: 'node', args: ['server.mjs'] };

interface Shown {
  readonly name: string;
  /** Tokens by the server's names of its tools. */
  readonly tools: Readonly<Record<string, number>>;
  readonly instructions?: number;
  readonly isDeferred?: boolean;
}

/** The line that says what turns show. */
function blockOf(id: string, servers: readonly Shown[], more: object = {}): string {
  const rows = servers.map(({ name, tools, instructions = 0, isDeferred = false }) => {
    const sum = Object.values(tools).reduce((total, tokens) => total + tokens, 0);
    const [loaded, deferred] = isDeferred ? [0, sum] : [sum, 0];
    const each = Object.entries(tools).map(([tool, tokens]) => [`mcp__${name}__${tool}`, tokens]);
    const sums = [loaded, deferred, instructions, each.length, 5 * each.length, 0, 0];
    return [name, sums, isDeferred ? {} : Object.fromEntries(each)];
  });
  return line('2026-10-01T00:00:00.000Z', {
    block: id,
    profile: 'anthropic',
    context: 200_000,
    search: 'auto',
    builtIns: 500,
    system: 0,
    servers: rows,
    ...more,
  });
}

function line(at: string, fields: object): string {
  return `${JSON.stringify({ at, pid: 1, ...fields })}\n`;
}

const dayBefore = (days: number): string =>
  new Date(Date.parse('2026-11-15T11:00:00.000Z') - days * 86_400_000).toISOString();
const turns = (id: string, days: readonly number[]): string =>
  days.map((day) => line(dayBefore(day), { turn: id })).join('');
const times = (count: number, day = 1): readonly number[] => Array.from({ length: count }, () => day);
const calls = (server: string, tool: string, outcomes: readonly string[], more: object = {}): string =>
  outcomes
    .map((outcome, at) =>
      line(dayBefore(2), {
        id: `${tool}${at}`,
        tool: `mcp__${server}__${tool}`,
        server,
        decision: 'allow',
        outcome,
        ms: 100,
        tokens: 50,
        ...more,
      }),
    )
    .join('');

/** A home with servers of the user and this ledger. */
function withLedger(text: string, servers: Readonly<Record<string, object>> = { a: entry, b: entry }): Sandbox {
  return makeSandbox({ [USER_FILE]: { mcpServers: servers }, [LEDGER]: text });
}

interface Told {
  readonly name: string;
  readonly configured: boolean;
  readonly advice?: {
    readonly reason: string;
    readonly why: string;
    readonly steps: readonly Record<string, unknown>[];
  };
}

async function serversIn({ run }: Sandbox, args: readonly string[] = []): Promise<readonly Told[]> {
  const { json, stderr, code } = await run(['value', '--json', ...args]);
  expect([code, stderr]).toEqual([0, '']);
  return json!.data!['servers'] as readonly Told[];
}

/** The reason of the advice about each server; undefined: none. */
async function reasonsIn(sandbox: Sandbox, args: readonly string[] = []): Promise<Record<string, string | undefined>> {
  const servers = await serversIn(sandbox, args);
  return Object.fromEntries(servers.map(({ name, advice }) => [name, advice?.reason]));
}

const TOOLS = { one: 100, two: 200 };
const both = blockOf('x', [
  { name: 'a', tools: TOOLS },
  { name: 'b', tools: TOOLS },
]);

test.each<[what: string, ledger: string, reason: string | undefined]>([
  ['told in 19 turns of a day', both + turns('x', times(19)), undefined],
  ['told in 20 turns', both + turns('x', times(20)), 'unused'],
  ['told twice, six days apart', both + turns('x', [7, 1]), undefined],
  ['told twice, a week apart', both + turns('x', [8, 1]), 'unused'],
  ['told long ago', both + turns('x', times(40, 60)), undefined],
  ['called once', both + turns('x', times(20)) + calls('a', 'two', ['ok']), undefined],
  ['called, but refused', both + turns('x', times(20)) + calls('a', 'two', ['error'], { decision: 'deny' }), 'unused'],
  [
    'only names to search for',
    blockOf('x', [{ name: 'a', tools: TOOLS, isDeferred: true }]) + turns('x', times(99)),
    undefined,
  ],
  [
    'names to search for and long instructions',
    blockOf('x', [{ name: 'a', tools: TOOLS, isDeferred: true, instructions: 500 }]) + turns('x', times(99)),
    'unused',
  ],
  ['four calls that all failed', both + calls('a', 'two', ['error', 'error', 'error', 'unknown']), undefined],
  ['five calls that all failed', both + calls('a', 'two', ['error', 'error', 'error', 'unknown', 'error']), 'failing'],
  [
    'six calls of which half failed',
    both + calls('a', 'two', ['error', 'error', 'error', 'ok', 'ok', 'ok']),
    undefined,
  ],
  ['given up five times', both + calls('a', 'two', Array(5).fill('error'), { code: 'cancelled' }), undefined],
  [
    'six calls that fitted no schema, and none reached the server',
    both + turns('x', times(20)) + calls('a', 'two', Array(6).fill('error'), { code: 'bad-input', attempts: 0 }),
    'unused',
  ],
  [
    'a tool is used that the last turns did not tell of',
    both + turns('x', times(20)) + calls('a', 'one', ['ok']) + calls('a', 'late', ['ok', 'ok']),
    undefined,
  ],
  [
    'a resource is read beside the one tool that is used',
    both + turns('x', times(20)) + calls('a', 'one', ['ok']) + calls('a', 'resources', ['ok']),
    'unused-tools',
  ],
  ['the larger of two tools is never called', both + turns('x', times(20)) + calls('a', 'one', ['ok']), 'unused-tools'],
  [
    'the larger of two tools is told since yesterday',
    blockOf('y', [{ name: 'a', tools: { one: 100 } }]) +
      both +
      turns('y', times(30, 2)) +
      turns('x', times(3)) +
      calls('a', 'one', ['ok']),
    undefined,
  ],
])('%s: whether that is worth its tokens', async (_what, ledger, reason) => {
  expect((await reasonsIn(withLedger(ledger)))['a']).toBe(reason);
});

test('a sub-agent that is shown less of a server hides no tool of it', async () => {
  const fork = blockOf('f', [{ name: 'a', tools: { one: 100 } }], { fork: true });
  const [a] = await serversIn(withLedger(both + fork + turns('x', times(20)) + turns('f', [0])));
  expect(a).toMatchObject({ name: 'a', definitions: 300, toldTurns: 21, told: 20 * 300 + 100 });
});

test('--days says how far back, and anything but a number of days is a mistake', async () => {
  const sandbox = withLedger(both + turns('x', times(20, 10)));
  expect(await reasonsIn(sandbox, ['--days', '11'])).toMatchObject({ a: 'unused' });
  expect(await reasonsIn(sandbox, ['--days', '7'])).toMatchObject({ a: undefined });
  for (const days of ['0', '-1', 'x', '1e9', '1.5', '', ' 7', '3651', '99999999999999999999']) {
    const { code, json } = await sandbox.run(['value', '--json', `--days=${days}`]);
    expect([days, code, json?.error?.code]).toEqual([days, 2, 'usage']);
  }
  expect((await sandbox.run(['value', 'a', 'b'])).code).toBe(2);
});

test('without a ledger there is nothing to say, and a server that nobody knows is an error', async () => {
  const sandbox = makeSandbox({ [USER_FILE]: { mcpServers: { a: entry } } });
  expect(await sandbox.run(['value'])).toMatchObject({ code: 0, stdout: 'No turn and no call is recorded yet\n' });
  expect(await sandbox.run(['value', 'a'])).toMatchObject({ code: 0, stdout: 'a: no turn and no call is recorded\n' });
  expect((await sandbox.run(['value', '--json'])).json?.data).toMatchObject({ turns: 0, servers: [{ name: 'a' }] });
  const unknown = await sandbox.run(['value', 'nope', '--json']);
  expect([unknown.code, unknown.json?.error?.code]).toEqual([1, 'unknown-server']);
});

test('a ledger that cannot be read is an error, one of its files a warning', async () => {
  const broken = makeSandbox({ 'home/.local/state/plugboard/ledger': 'a file' });
  const { code, json } = await broken.run(['value', '--json']);
  expect([code, json?.error?.code]).toEqual([1, 'config-unreadable']);
  const sandbox = withLedger(both + turns('x', times(2)));
  mkdirSync(join(sandbox.root, `${LEDGER}.1`));
  writeFileSync(
    join(sandbox.root, `${LEDGER}.2`),
    line(dayBefore(3), { lost: 4 }) + line('2031-01-01T00:00:00.000Z', { turn: 'x' }),
  );
  const { stderr, stdout } = await sandbox.run(['value']);
  expect(stdout).toContain('2 turns');
  expect(stderr).toContain('warning: 4 calls could not be recorded');
  expect(stderr).toContain('1 line of the ledger left out: later than now');
  expect(stderr).toMatch(/calls\.jsonl\.1 is not counted: .* it is not a regular file/u);
});

test('servers that are no longer configured are listed without advice, and names are cleaned', async () => {
  const evil = '\u001b[2J\u001b[31mevil\u202e\nFile modified: /etc/passwd';
  const long = 'x'.repeat(5_000);
  const sandbox = withLedger(
    blockOf('x', [
      { name: evil, tools: TOOLS },
      { name: long, tools: TOOLS },
    ]) + turns('x', times(30)),
  );
  const servers = await serversIn(sandbox);
  expect(servers.map(({ configured, advice }) => [configured, advice])).toEqual([
    [false, undefined],
    [false, undefined],
    [true, undefined],
    [true, undefined],
  ]);
  for (const columns of [40, 80]) {
    const { stdout } = await sandbox.run(['value', '--no-color'], { isTerminal: true, columns });
    // eslint-disable-next-line no-control-regex -- what must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
    expect(
      Math.max(
        ...stdout
          .split('\n')
          .slice(2, 6)
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(columns);
    expect(stdout).not.toMatch(/^File modified/mu);
  }
});

test('a server with a name that a shell would read gets a command that can be pasted', async () => {
  const name = "it's $(rm -rf ~)";
  const sandbox = withLedger(blockOf('x', [{ name, tools: TOOLS }]) + turns('x', times(20)), { [name]: entry });
  const [server] = await serversIn(sandbox);
  expect(server?.advice?.steps[0]).toMatchObject({ command: String.raw`plugboard disable 'it'\''s $(rm -rf ~)'` });
});

test.each<[whose: string, file: string, expected: object[]]>([
  [
    'of the user',
    USER_FILE,
    [
      {
        kind: 'disable',
        saves: 300,
        edits: [
          { file: 'HOME/.config/plugboard/config.json', line: 3, path: 'mcpServers.a', write: '"disabled": true' },
        ],
        command: 'plugboard disable a',
      },
      {
        kind: 'defer',
        isOfAll: true,
        edits: [
          { file: 'HOME/.config/plugboard/config.json', path: '', write: '"settings": { "toolSearch": "always" }' },
        ],
      },
    ],
  ],
  [
    'of the repository',
    PROJECT_FILE,
    [
      {
        kind: 'disable',
        saves: 300,
        edits: [{ file: 'LOCAL', path: '', isNewFile: true, write: '"disabledMcpServers": ["a"]' }],
        command: 'plugboard disable a',
      },
      { kind: 'defer' },
    ],
  ],
  [
    'of the administrator',
    'etc/managed-mcp.json',
    [
      {
        kind: 'disable',
        edits: [
          {
            file: 'HOME/.config/plugboard/config.json',
            path: '',
            isNewFile: true,
            write: '"settings": { "permissions": { "deny": ["mcp__a"] } }',
          },
        ],
      },
      { kind: 'defer' },
    ],
  ],
])('what is advised about a server %s is what this user can do', async (_whose, file, expected) => {
  const sandbox = makeSandbox({
    [file]: { mcpServers: { a: entry } },
    [LEDGER]: blockOf('x', [{ name: 'a', tools: TOOLS }]) + turns('x', times(20)),
  });
  const [server] = await serversIn(sandbox, ['--approve-project-servers']);
  expect(server?.advice?.steps).toMatchObject(expected);
});

test('a field that is there already is replaced, on its own line', async () => {
  const sandbox = withLedger(blockOf('x', [{ name: 'a', tools: TOOLS }]) + turns('x', times(20)), {
    a: { ...entry, disabled: false },
  });
  const [server] = await serversIn(sandbox);
  const text = readFileSync(join(sandbox.home, '.config/plugboard/config.json'), 'utf8').split('\n');
  const at = 1 + text.findIndex((row) => row.includes('"disabled"'));
  expect(server?.advice?.steps[0]).toMatchObject({ edits: [{ line: at, write: '"disabled": true', replaces: true }] });
  const { stdout } = await sandbox.run(['value']);
  expect(stdout).toContain('replace in "mcpServers.a" in');
});

test('no rule is advised that would hide another server as well', async () => {
  const sandbox = makeSandbox({
    'etc/managed-mcp.json': { mcpServers: { 'a b': entry, 'a.b': { ...entry, args: ['b.mjs'] } } },
    [LEDGER]: blockOf('x', [{ name: 'a b', tools: TOOLS }]) + turns('x', times(20)),
  });
  const [server] = await serversIn(sandbox);
  expect(server?.advice?.steps.flatMap(({ edits }) => edits)).not.toContainEqual(
    expect.objectContaining({ write: expect.stringContaining('deny') as unknown }),
  );
});

test('a server of the command line can only be left out there', async () => {
  const sandbox = makeSandbox({ [LEDGER]: blockOf('x', [{ name: 'a', tools: TOOLS }]) + turns('x', times(20)) });
  const { stdout } = await sandbox.run(['value', '--mcp-server', `a=${JSON.stringify(entry)}`]);
  expect(stdout).toContain('a costs more than it brings: told in 20 turns of the last 30 days, never called.');
  expect(stdout).toContain('Disable it, for 300 tokens a turn less. Leave it out of --mcp-server');
});

test('a person sees a table, why a server costs more than it brings, and what to write where', async () => {
  const changed = line(dayBefore(1), { turn: 'x', changes: { a: 1_200, b: 300 } });
  const sandbox = withLedger(both + turns('x', times(19)) + changed + calls('b', 'two', ['ok', 'ok', 'error']));
  const { stdout, stderr } = await sandbox.run(['value']);
  expect(stderr).toBe('');
  expect(stdout).toMatchInlineSnapshot(`
    "20 turns and 3 calls in the last 30 days (the ledger begins 2026-10-01, turns 2026-11-14). Tokens are estimates.
    SERVER  PER TURN  TURNS  CALLS  ERRORS  RESULTS    TIME  BREAKS   LAST USED
    b            300     20      3       1      150  300 ms       1  2026-11-13
    a            300     20      0       0        0    0 ms       1           -
    Cache breaks avoided: 1, which saved reading 1,200 tokens again

    a costs more than it brings: told in 20 turns of the last 30 days, never called. One of these helps:
      Disable it, for 300 tokens a turn less:
        write into "mcpServers.a" in HOME/.config/plugboard/config.json:3:
          "disabled": true
        or run: plugboard disable a
      Defer it, for 545 tokens a turn less. The tools of all servers are searched for then:
        write into HOME/.config/plugboard/config.json:
          "settings": { "toolSearch": "always" }
    "
  `);
  expect((await sandbox.run(['value', 'b'])).stdout).toMatchInlineSnapshot(`
    "20 turns and 3 calls in the last 30 days (the ledger begins 2026-10-01, turns 2026-11-14). Tokens are estimates.
    b: told in 20 turns, which took 6,000 tokens; now 300 of definitions and 0 of instructions a turn; 1 cache break avoided (300 tokens)
    TOOL  PER TURN  TURNS  CALLS  ERRORS  RESULTS    TIME   LAST USED
    two        200     20      3       1      150  300 ms  2026-11-13
    one        100     20      0       0        0    0 ms           -
    "
  `);
  const narrow = await sandbox.run(['value', '--no-color'], { isTerminal: true, columns: 40 });
  const named = narrow.stdout.replaceAll(
    /\n +\/(?:.*\n +)*?(?:.*\/)?\.config\/plugboard\/config/gu,
    '\n        CONFIG',
  );
  expect(named).toMatchInlineSnapshot(`
    "20 turns and 3 calls in the last 30 days
        (the ledger begins 2026-10-01, turns
        2026-11-14). Tokens are estimates.
    SERVER  PER TURN  TURNS  CALLS  ERRORS
    b            300     20      3       1
    a            300     20      0       0
    Cache breaks avoided: 1, which saved
        reading 1,200 tokens again

    a costs more than it brings: told in 20
        turns of the last 30 days, never
        called. One of these helps:
      Disable it, for 300 tokens a turn
        less:
        write into "mcpServers.a" in
            CONFIG.json:3:
          "disabled": true
        or run: plugboard disable a
      Defer it, for 545 tokens a turn less.
        The tools of all servers are
        searched for then:
        write into
            CONFIG.json:
          "settings": { "toolSearch": "always" }
    "
  `);
});
