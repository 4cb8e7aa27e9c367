import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import { embed } from './embedded.js';
import { openWalk, textOf, type WalkScene, type WalkTool } from './walk-scene.js';

// Names of servers and tools: facts N01 to N10. Whatever the names are, each tool has a unique name, is called by it,
// and is never mistaken for another tool.

type Servers = readonly (readonly [name: string, tools: readonly WalkTool[]])[];

const cases: readonly (readonly [title: string, servers: Servers])[] = [
  ['N01: servers whose names become one', ['a b', 'a.b', 'a_b', 'a/b'].map((name) => [name, ['t', 'u']])],
  ['N01: tools whose names become one', [['s', ['a b', 'a.b', 'a_b', 'a/b']]]],
  [
    'N02: a border that could be elsewhere',
    [
      ['x__y', ['z', 'z__w']],
      ['x', ['y__z', 'y__z__w']],
    ],
  ],
  ['N04: tools called like those of the host', [['s', BUILT_INS()]]],
  [
    'N05: names that are far too long',
    [
      ['s'.repeat(200), lengthy(250)],
      ['s'.repeat(201), lengthy(250)],
      ['s', lengthy(60)],
    ],
  ],
  ['N06: letters that look like others', [['s', ['read_file', 'r\u0435ad_file', 're\u0430d_file', 'ｒead_file']]]],
  ['N07: names out of rules', [['s', [' ', '\n', '\u001b[2J', '*', 'tool(*)', 'a,b', '__', 'mcp__s__x', 'x']]]],
  [
    'N08: names of what every object has',
    ['__proto__', 'constructor', 'toString'].map((name) => [
      name,
      ['__proto__', 'constructor', 'toString', 'hasOwnProperty'],
    ]),
  ],
  [
    'N10: names that differ in case',
    [
      ['Desk', ['Read', 'read', 'READ']],
      ['desk', ['Read', 'read', 'READ']],
    ],
  ],
];

test.each(cases)('%s: each has a name of its own and is reached by it', async (_title, servers) => {
  await using scene = openWalk();
  const host = await open(scene, servers);
  const tools = host.tools();
  const names = tools.map(({ name }) => name);
  expect(names.filter((name) => !/^mcp__[a-zA-Z0-9_-]{1,59}$/u.test(name))).toEqual([]);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(servers.flatMap(([, own]) => own).length);
  for (const { name, server, tool } of tools) {
    const result = await host.call({ name, input: {} });
    expect(result).toMatchObject({ server, tool, outcome: 'ok' });
    expect(textOf(await host.call({ name, input: {}, shape: 'raw' }))).toBe(`${server}/${tool} {}`);
  }
  for (const profile of ['anthropic', 'openai', 'gemini'] as const) {
    const { tools: block, setAside } = host.forModel(profile, { toolSearch: 'never' });
    const text = JSON.stringify(block);
    expect([setAside, names.filter((name) => !text.includes(`"${name}"`))]).toEqual([[], []]);
  }
  // Names do not depend on the order of servers and tools, nor on the run.
  const again = await open(
    scene,
    servers.toReversed().map(([name, own]) => [name, own.toReversed()]),
  );
  const known = new Map(tools.map(({ server, tool, name }) => [JSON.stringify([server, tool]), name]));
  for (const { server, tool, name } of again.tools()) expect(name).toBe(known.get(JSON.stringify([server, tool])));
});

test('N01: a rule with a server’s own name means that server alone', async () => {
  await using scene = openWalk();
  const servers: Servers = ['a b', 'a.b', 'a_b'].map((name) => [name, ['t']]);
  const host = await open(scene, servers, { mode: 'bypass', deny: ['mcp__a.b'] });
  expect(Object.fromEntries(await outcomes(host))).toEqual({ 'a b': 'ok', 'a.b': 'denied', a_b: 'ok' });
  const narrow = await open(scene, servers, { mode: 'dont-ask', allow: ['mcp__a.b'] });
  expect(Object.fromEntries(await outcomes(narrow))).toEqual({ 'a b': 'denied', 'a.b': 'ok', a_b: 'denied' });
  // A deny rule that could mean several servers denies all of them.
  const wide = await open(scene, servers, { mode: 'bypass', deny: ['mcp__a_b'] });
  expect(Object.fromEntries(await outcomes(wide))).toEqual({ 'a b': 'denied', 'a.b': 'denied', a_b: 'denied' });
});

test('N03: of two servers of one name one runs, and the other is shown with what hides it', async () => {
  await using scene = openWalk();
  scene.configure({ github: scene.walking(['ours']) });
  const shared = { mcpServers: { github: scene.walking(['theirs']) } };
  writeFileSync(join(scene.project, '.mcp.json'), JSON.stringify(shared));
  const host = await scene.settle();
  expect(host.tools().map(({ name }) => name)).toEqual(['mcp__github__ours']);
  const states = host.servers().map(({ name, scope, status }) => `${name} ${scope} ${status}`);
  expect(states.toSorted()).toEqual(['github project unapproved', 'github user connected']);
  const approved = await scene.settle({ approveProject: true });
  expect(approved.tools().map(({ name }) => name)).toEqual(['mcp__github__theirs']);
  expect(approved.servers()).toMatchObject([
    { scope: 'project', status: 'connected' },
    { scope: 'user', status: 'duplicate', suppressedBy: expect.stringContaining('project') },
  ]);
});

test('N04: a server of the program without a prefix takes no name of the host’s own tools', async () => {
  await using scene = openWalk();
  const { options, servers } = embed([
    ['desk', [...BUILT_INS(), 'mcp__other__tool', 'Bash']],
    ['other', ['tool']],
  ]);
  const host = await scene.settle({ ...options, unprefixed: ['desk'] });
  const names = new Map(host.tools().map(({ name, server, tool }) => [`${server}/${tool}`, name]));
  expect(names.get('desk/Bash')).toBe('Bash');
  expect(textOf(await host.call({ name: 'Bash' }))).toBe('desk/Bash {}');
  expect(names.get('other/tool')).toBe('mcp__other__tool');
  for (const name of BUILT_INS()) {
    expect(names.get(`desk/${name}`)).toBe(`mcp__desk__${name}`);
    expect(await host.call({ name, input: {} })).toMatchObject({ server: undefined });
  }
  expect(servers.get('desk')!.ran).toEqual([{ tool: 'Bash', input: {} }]);
  const shown = host.forModel('anthropic').tools.map((tool) => (tool as { name: string }).name);
  expect(new Set(shown).size).toBe(shown.length);
});

test('N05: a name that no server can mean is set aside, and its neighbours stay', async () => {
  await using scene = openWalk();
  const host = await open(scene, [['s', ['x'.repeat(300), 'short']]]);
  expect(host.tools().map(({ tool }) => tool)).toEqual(['short']);
  expect(host.setAside()).toMatchObject([{ server: 's', reason: expect.stringContaining('256') }]);
});

test('N07: a rule with brackets, a comma or what does not show is none, and says so', async () => {
  await using scene = openWalk();
  const deny = ['tool(*)', 'mcp__s__a,mcp__s__b', 'mcp__s__\u200bx', '', '*'];
  const host = await open(scene, [['s', ['tool(*)', 'a,b']]], { mode: 'bypass', deny });
  // A deny rule that cannot be parsed denies everything.
  for (const [, outcome] of await outcomes(host)) expect(outcome).toBe('denied');
  expect(host.problems.length).toBeGreaterThanOrEqual(deny.length);
});

test('N09: a prompt is a command of its server’s, whatever it is called', async () => {
  await using scene = openWalk();
  const host = await open(scene, [['s', ['t']]]);
  const { prompts } = (await host.prompts()) as { prompts: readonly { command: string }[] };
  expect(prompts.map(({ command }) => command)).toEqual(['/mcp__s__clear', '/mcp__s__new_line']);
  expect(await host.runPrompt('/clear')).toBeUndefined();
  expect(await host.runPrompt('/mcp__s__clear')).toMatchObject({ ok: true });
});

function BUILT_INS(): string[] {
  return ['Read', 'ListMcpResources', 'ReadMcpResource', 'ToolSearch', 'CallMcpTool'];
}

/** Five names with the same long beginning. */
function lengthy(length: number): string[] {
  return Array.from({ length: 5 }, (_, at) => 'x'.repeat(length) + String(at));
}

function open(scene: WalkScene, servers: Servers, permissions: object = { mode: 'bypass' }): Promise<Host> {
  return scene.settle({ ...embed(servers).options, permissions });
}

/** For each tool: its server, and the outcome of a call or its error code. */
async function outcomes(host: Host): Promise<readonly (readonly [server: string, outcome: string])[]> {
  const all = host.tools().map(async ({ name, server }) => {
    const { outcome, error } = await host.call({ name });
    return [server, error?.code ?? outcome] as const;
  });
  return Promise.all(all);
}
