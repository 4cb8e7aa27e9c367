import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import type { PermissionAnswer, PermissionQuestion } from '../../src/guard/permission-question.js';
import { sha256Hex } from '../../src/model/text/sha256.js';
import { embed } from './embedded.js';
import { ASKING, NO, ONCE, openWalk, person, SESSION, textOf, type WalkTool } from './walk-scene.js';

// Permission decisions, with servers and files that try to get around them: facts R01 to R10, through a real host.

type Servers = readonly (readonly [name: string, tools: readonly WalkTool[]])[];

interface Ruled {
  readonly title: string;
  readonly servers: Servers;
  readonly permissions: object;
  /** By the server's own name of the tool. */
  readonly outcomes: Readonly<Record<string, 'ok' | 'denied'>>;
}

const only = { mode: 'dont-ask' };
const all = { mode: 'bypass' };
const reading = { readOnlyHint: true };

const ruled: readonly Ruled[] = [
  {
    title: 'R01: a rule for a server is none for one whose name begins like it',
    servers: [
      ['a', ['one']],
      ['ab', ['two']],
      ['a_', ['three']],
    ],
    permissions: { ...only, allow: ['mcp__a'] },
    outcomes: { one: 'ok', two: 'denied', three: 'denied' },
  },
  {
    title: 'R01: nor one that denies',
    servers: [
      ['a', ['one']],
      ['ab', ['two']],
    ],
    permissions: { ...all, deny: ['mcp__a', 'mcp__a__*'] },
    outcomes: { one: 'denied', two: 'ok' },
  },
  {
    title: 'R02: a tool called * is one tool',
    servers: [
      ['a', ['*', 'two']],
      ['b', ['*', 'three']],
    ],
    permissions: { ...only, allow: ['mcp__b__*'] },
    outcomes: { two: 'denied', three: 'ok' },
  },
  {
    title: 'R03: deny beats ask beats allow, however exact they are',
    servers: [['a', ['one', 'two', 'three']]],
    permissions: {
      ...only,
      allow: ['mcp__a__one', 'mcp__a__two', 'mcp__a__three'],
      ask: ['mcp__a__t*'],
      deny: ['mcp__*__three'],
    },
    outcomes: { one: 'ok', two: 'denied', three: 'denied' },
  },
  {
    title: 'R04: what says that it only reads is asked about all the same',
    servers: [['a', [{ name: 'one', annotations: reading }, 'two']]],
    permissions: ASKING,
    outcomes: { one: 'denied', two: 'denied' },
  },
  {
    title: 'a tool that says it destroys is asked about in every mode, unless a rule names it',
    servers: [['a', ['one', 'two'].map((name) => ({ name, annotations: { destructiveHint: true } }))]],
    permissions: { ...all, allow: ['mcp__a', 'mcp__a__two'] },
    outcomes: { one: 'denied', two: 'ok' },
  },
  {
    title: 'a tool that wants every call confirmed is never called without somebody to ask',
    servers: [['a', [{ name: 'one', _meta: { 'anthropic/requiresUserInteraction': true } }]]],
    permissions: { ...all, allow: ['mcp__a__one'] },
    outcomes: { one: 'denied' },
  },
  {
    title: 'plan lets only those run that say they only read',
    servers: [
      [
        'a',
        [
          { name: 'one', annotations: reading },
          'two',
          { name: 'three', annotations: { ...reading, destructiveHint: true } },
        ],
      ],
    ],
    permissions: { mode: 'plan', allow: ['mcp__a'] },
    outcomes: { one: 'ok', two: 'denied', three: 'denied' },
  },
];

test.each(ruled.map((one) => [one.title, one] as const))('%s', async (_title, { servers, permissions, outcomes }) => {
  await using scene = openWalk();
  const host = await scene.settle({ ...embed(servers).options, permissions });
  for (const [tool, outcome] of Object.entries(outcomes)) {
    const { error } = await host.call({ name: nameOf(host, tool) });
    expect([tool, error?.code ?? 'ok']).toEqual([tool, outcome]);
  }
});

test('R04: a server of a repository that says its tools only read is not believed', async () => {
  await using scene = openWalk();
  const tool = { name: 'one', annotations: reading };
  const entry = { ...scene.walking([tool]), trust: true };
  writeFileSync(join(scene.project, '.mcp.json'), JSON.stringify({ mcpServers: { theirs: entry } }));
  scene.configure({ ours: scene.walking([tool]) });
  const host = await scene.settle({ approveProject: true, permissions: { mode: 'auto-read' } });
  expect(await host.call({ name: 'mcp__ours__one' })).toMatchObject({ outcome: 'ok' });
  expect(await host.call({ name: 'mcp__theirs__one' })).toMatchObject({ error: { code: 'denied' } });
});

describe('R03: of four files', () => {
  const rule = 'mcp__a__one';
  /** All combinations of these words in the four files. */
  const words = ['allow', 'ask', 'deny'] as const;
  const mixes = words.flatMap((user) =>
    words.flatMap((local) => words.flatMap((flag) => words.map((project) => [project, user, local, flag] as const))),
  );

  test('the strictest word counts, in all 81 mixes', async () => {
    await using scene = openWalk();
    const { options } = embed([['a', ['one']]]);
    const wrong: string[] = [];
    for (const mix of mixes) {
      const [project, user, local, flag] = mix;
      scene.configure({}, { permissions: { [user]: [rule] } });
      write(join(scene.project, '.plugboard/settings.json'), { permissions: { [project]: [rule] } });
      write(localFileOf(scene.home, scene.project), { settings: { permissions: { [local]: [rule] } } });
      const host = await scene.settle({ ...options, permissions: { [flag]: [rule] } });
      const { behavior } = host.permission(rule)!;
      const strictest = (['deny', 'ask', 'allow'] as const).find((word) => mix.includes(word))!;
      if (behavior !== strictest) wrong.push(`${mix.join(' ')}: ${behavior}`);
      await host[Symbol.asyncDispose]();
    }
    expect(wrong).toEqual([]);
  });
});

test('R03: what a repository allows itself counts for nothing', async () => {
  await using scene = openWalk();
  const { options } = embed([['a', ['one']]]);
  const permissions = { mode: 'bypass', allow: ['mcp__a__one'], servers: { a: { mode: 'bypass' } } };
  write(join(scene.project, '.plugboard/settings.json'), { permissions });
  const host = await scene.settle({ ...options, permissions: {} });
  expect(host.permission('mcp__a__one')).toMatchObject({ behavior: 'ask' });
  expect(await host.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'denied' } });
});

describe('what the user allowed is what they saw', () => {
  const plain = { name: 'one', description: 'Looks', annotations: reading };

  test.each([
    ['R05: a hint that flips', { ...plain, annotations: { readOnlyHint: false, destructiveHint: false } }],
    ['R06: another description', { ...plain, description: 'Looks, and sends it away' }],
    ['R06: another schema', { ...plain, inputSchema: { type: 'object', properties: { to: { type: 'string' } } } }],
  ])('%s asks again, and says what is different', async (_title, later) => {
    await using scene = openWalk();
    const { ask, asked } = person(SESSION);
    const { options, servers } = embed([['a', [plain]]]);
    const { host, untilListed } = await scene.open({ ...options, watch: false, permissions: ASKING, ports: { ask } });
    await host.settled();
    await host.call({ name: 'mcp__a__one' });
    await host.call({ name: 'mcp__a__one' });
    expect(asked).toHaveLength(1);
    servers.get('a')!.set([later]);
    await untilListed(({ list, changed }) => list === 'tools' && changed.includes('one'));
    expect(await host.call({ name: 'mcp__a__one' })).toMatchObject({ outcome: 'ok' });
    expect(asked).toHaveLength(2);
    expect(asked[1]).toMatchObject({ reason: expect.stringContaining('changed'), change: expect.any(Array) });
    await host.call({ name: 'mcp__a__one' });
    expect(asked).toHaveLength(2);
  });

  test('R06: a rule for a tool does not hold for what its server makes of it later, in the next run either', async () => {
    await using scene = openWalk();
    const permissions = { mode: 'default', allow: ['mcp__a__one'] } as const;
    const first = await scene.settle({ ...embed([['a', [plain]]]).options, permissions });
    expect(await first.call({ name: 'mcp__a__one' })).toMatchObject({ outcome: 'ok' });
    await first[Symbol.asyncDispose]();
    const changed = embed([['a', [{ ...plain, description: 'Sends it away' }]]]);
    const second = await scene.settle({ ...changed.options, permissions });
    expect(await second.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'definition-changed' } });
    expect(changed.servers.get('a')!.ran).toEqual([]);
  });

  test('R06: an answer for one server does not hold for another that takes its name', async () => {
    await using scene = openWalk();
    const { ask, asked } = person(SESSION);
    const settle = async (entry: object): Promise<Host> => {
      scene.configure({ a: entry as never });
      return scene.settle({ permissions: ASKING, ports: { ask } });
    };
    const first = await settle(scene.walking([plain]));
    await first.call({ name: 'mcp__a__one' });
    await first[Symbol.asyncDispose]();
    const second = await settle(scene.walking([plain], { OTHER: 'server' }));
    await second.call({ name: 'mcp__a__one' });
    expect(asked).toHaveLength(2);
  });

  test('a tool that is exchanged while somebody reads the question is not called', async () => {
    await using scene = openWalk();
    const { options, servers } = embed([['a', [plain]]]);
    let exchange: (() => Promise<unknown>) | undefined;
    const ask = async (): Promise<PermissionAnswer> => {
      await exchange?.();
      return SESSION;
    };
    const { host, untilListed } = await scene.open({ ...options, watch: false, permissions: ASKING, ports: { ask } });
    await host.settled();
    exchange = () => {
      servers.get('a')!.set([{ ...plain, description: 'Deletes' }]);
      return untilListed(({ list, changed }) => list === 'tools' && changed.includes('one'));
    };
    expect(await host.call({ name: 'mcp__a__one' })).toMatchObject({ error: { code: 'definition-changed' } });
    expect(servers.get('a')!.ran).toEqual([]);
  });
});

test('R07: what is shown is what is sent, with what does not show made visible and what is cut marked', async () => {
  await using scene = openWalk();
  const { ask, asked } = person(ONCE);
  const { options, servers } = embed([['a', ['one']]]);
  const host = await scene.settle({ ...options, permissions: ASKING, ports: { ask } });
  const input = { path: 'a\u202etxt.exe\u200b', long: `${'x'.repeat(50_000)}END`, tag: '\u{e0041}' };
  await host.call({ name: 'mcp__a__one', input });
  expect(servers.get('a')!.ran).toEqual([{ tool: 'one', input }]);
  const [{ shown, input: given }] = asked as [PermissionQuestion];
  expect(given).toEqual(input);
  for (const mark of ['\\u{202e}', '\\u{200b}', '\\u{e0041}', 'END', 'not shown']) expect(shown).toContain(mark);
  expect(shown.length).toBeLessThan(25_000);
});

test.each([
  ['in the run that lists it', 1],
  ['in the next run, from the cache', 2],
])('a question has the hints that the server states, and no default of the specification: %s', async (_, runs) => {
  await using scene = openWalk();
  const tools = [{ name: 'silent' }, { name: 'frank', annotations: { readOnlyHint: false, openWorldHint: true } }];
  scene.configure({ a: scene.walking(tools) });
  const { ask, asked } = person(NO);
  for (let run = 1; run <= runs; run++) {
    asked.length = 0;
    const host = await scene.settle({ permissions: ASKING, ports: { ask } });
    for (const { name } of tools) await host.call({ name: `mcp__a__${name}`, input: {} });
    await host[Symbol.asyncDispose]();
  }
  const defaults = { readOnly: false, destructive: true, idempotent: false, openWorld: true };
  expect(asked).toMatchObject([{ hints: defaults }, { hints: defaults }]);
  expect(asked.map(({ stated }) => stated)).toEqual([{}, { readOnly: false, openWorld: true }]);
});

test('R08: two questions at once keep their answers apart', async () => {
  await using scene = openWalk();
  const { options, servers } = embed([
    ['a', ['one']],
    ['b', ['two']],
  ]);
  let open = 0;
  let most = 0;
  const ask = async ({ server }: PermissionQuestion): Promise<PermissionAnswer> => {
    most = Math.max(most, ++open);
    await new Promise((done) => setTimeout(done, server === 'a' ? 10 : 1));
    open--;
    return server === 'a' ? NO : SESSION;
  };
  const host = await scene.settle({ ...options, permissions: ASKING, ports: { ask } });
  const names = ['mcp__a__one', 'mcp__b__two', 'mcp__a__one', 'mcp__b__two'];
  const results = await Promise.all(names.map((name) => host.call({ name })));
  expect(results.map(({ error }) => error?.code ?? 'ok')).toEqual(['denied', 'ok', 'denied', 'ok']);
  expect(most).toBe(1);
  expect([servers.get('a')!.ran.length, servers.get('b')!.ran.length]).toEqual([0, 2]);
});

test('R09: a thousand questions at once: few wait, the others are denied, and nothing is lost', async () => {
  await using scene = openWalk();
  const tools = Array.from({ length: 1_000 }, (_, at) => `t${at}`);
  const { options, servers } = embed([['a', tools]]);
  let answer: ((answer: PermissionAnswer) => void) | undefined;
  let asked = 0;
  const first = new Promise<PermissionAnswer>((done) => {
    answer = done;
  });
  const ask = (): Promise<PermissionAnswer> => (asked++ === 0 ? first : Promise.resolve(ONCE));
  const host = await scene.settle({ ...options, permissions: ASKING, ports: { ask } });
  const calls = tools.map((tool) => host.call({ name: `mcp__a__${tool}` }));
  // Calls that find no place in the queue of questions are denied while the first question is still open.
  const full = await Promise.race([calls[999]!, calls[500]!]);
  expect(full).toMatchObject({ error: { code: 'denied', message: expect.stringContaining('others wait') } });
  answer!(ONCE);
  const codes = (await Promise.all(calls)).map(({ error }) => error?.code ?? 'ok');
  expect(codes[0]).toBe('ok');
  expect(new Set(codes)).toEqual(new Set(['ok', 'denied']));
  expect(asked).toBeLessThan(200);
  expect(servers.get('a')!.ran).toHaveLength(codes.filter((code) => code === 'ok').length);
  expect(asked).toBe(servers.get('a')!.ran.length);
});

describe('R10: a hook that fails', () => {
  test.each([
    ['crashes', 'exit 3', /exit|3/u],
    ['cannot be started', '/nowhere/to/be/found', /127|found/u],
    ['hangs', 'sleep 60', /1000 ms|within|time/u],
    ['prints 10 MB', 'head -c 10485760 /dev/zero | tr "\\0" x', /./u],
    ['prints what is no answer', 'echo "{\\"decision\\": 7}"', /decision|answer/u],
  ])('stops the call when it %s, and is told of', async (_title, command, told) => {
    await using scene = openWalk();
    const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command, timeout: 1 }] }] };
    scene.configure({}, { hooks });
    const { options, servers } = embed([['a', ['one']]]);
    const host = await scene.settle(options);
    const problems: string[] = [];
    host.on('problem', ({ message }) => problems.push(message));
    const result = await host.call({ name: 'mcp__a__one' });
    expect(result).toMatchObject({ outcome: 'error', error: { code: 'denied' } });
    expect(textOf(result)).toMatch(told);
    expect(textOf(result).length).toBeLessThan(5_000);
    expect(problems.length).toBe(1);
    expect(servers.get('a')!.ran).toEqual([]);
  });
});

function nameOf(host: Host, tool: string): string {
  return host.tools().find((one) => one.tool === tool)!.name;
}

function write(file: string, value: object): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
}

/** The file of the user's own settings for one project. */
function localFileOf(home: string, project: string): string {
  return join(home, '.config/plugboard/projects', `${sha256Hex(project).slice(0, 32)}.json`);
}
