import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { untilFound } from '../hang-guard.js';
import { HostError } from '../../src/base/errors.js';
import { loadHostConfig } from '../../src/config/load.js';
import type { HostOptions } from '../../src/host/host-options.js';
import { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import { type AgentDefinition, readAgents } from '../../src/session/agent.js';
import type { Message } from '../../src/session/message.js';
import type { ModelEvent } from '../../src/session/model-port.js';
import type { SessionEvent } from '../../src/session/session-event.js';
import { Session } from '../../src/session/session.js';
import { embed } from '../calls/embedded.js';
import { openWalk } from '../calls/walk-scene.js';
import { call, type Line, say, scriptedModel, type ScriptedModel } from './scripted-model.js';

interface Scene {
  readonly session: Session;
  readonly model: ScriptedModel;
  readonly events: SessionEvent[];
  readonly ran: () => string[];
}

/** A session over servers a and b. One script feeds its model and the models of its sub-agents. */
async function open(
  lines: readonly Line[],
  {
    agents = [],
    permissions = { mode: 'bypass' },
  }: { agents?: readonly AgentDefinition[] } & Pick<HostOptions, 'permissions'> = {},
): Promise<Scene> {
  const walk = openWalk();
  onTestFinished(() => walk[Symbol.asyncDispose]());
  const { options, servers } = embed([
    ['a', ['one', 'two']],
    ['b', ['one']],
  ]);
  const where = { cwd: walk.project, env: walk.env };
  const loaded = await loadHostConfig({ ...where, ...options, permissions });
  const model = scriptedModel(lines);
  const events: SessionEvent[] = [];
  const session = new Session({
    openHost: (more) => Host[inside](loaded, { ...where, ...options, permissions, ...more, watch: false }),
    model,
    agents,
    onEvent: (event) => void events.push(event),
  });
  onTestFinished(() => session[Symbol.asyncDispose]());
  await session.host.settled();
  const ran = (): string[] => [...servers].flatMap(([name, server]) => server.ran.map(({ tool }) => `${name}.${tool}`));
  return { session, model, events, ran };
}

const textOf = (messages: readonly Message[]): string => JSON.stringify(messages);
const toolNames = (tools: readonly object[]): string[] =>
  tools.map((tool) => String((tool as { name?: unknown }).name));

test('a sub-agent works with the same servers and gives back what it says in the end', async () => {
  const { session, model, events, ran } = await open([
    [call('Agent', { description: 'look', prompt: 'Look at one' })],
    [call('mcp__a__one', {}, 'inner')],
    [say('One is fine.')],
    [say('It says that one is fine.')],
  ]);
  expect(await session.say('look')).toMatchObject({ kind: 'sent', end: { kind: 'done' } });
  expect(ran()).toEqual(['a.one']);
  expect(textOf(model.requests[1]!.messages)).toBe(
    textOf([{ role: 'user', parts: [{ kind: 'text', text: 'Look at one' }] }]),
  );
  expect(textOf(model.requests.at(-1)!.messages)).toContain('One is fine.');
  const inner = events.flatMap((event) => (event.kind === 'agent' ? [event.event.kind] : []));
  expect(inner).toContain('result');
  expect(session.usage.input).toBe(40);
});

test('a sub-agent is shown and may call only what it was given, and starts no others', async () => {
  const { session, model, ran } = await open(
    [
      [call('Agent', { description: 'x', prompt: 'x', agent: 'reader', tools: ['mcp__a__*', 'mcp__b'] })],
      [
        call('mcp__a__two', {}, 'i1'),
        call('mcp__b__one', {}, 'i2'),
        call('Agent', { description: 'x', prompt: 'x' }, 'i3'),
      ],
      [say('done')],
      [say('done')],
    ],
    { agents: [{ name: 'reader', description: 'reads', prompt: 'Be brief.', tools: ['mcp__a__one', 'mcp__b__one'] }] },
  );
  await session.say('go');
  const names = toolNames(model.requests[1]!.tools);
  expect(names).toContain('mcp__a__one');
  expect(names).toContain('mcp__b__one');
  expect(names).not.toContain('mcp__a__two');
  expect(names).not.toContain('Agent');
  expect(ran()).toEqual(['b.one']);
  const results = textOf(model.requests[2]!.messages);
  expect(results).toContain('mcp__a__two is not among the tools that this agent was given');
  expect(model.requests[1]!.system.join('\n')).toContain('Be brief.');
});

test('what is denied to the session is denied to its sub-agents', async () => {
  const { session, ran } = await open(
    [[call('Agent', { description: 'x', prompt: 'x' })], [call('mcp__a__one', {}, 'i')], [say('no')], [say('no')]],
    { permissions: { mode: 'bypass', deny: ['mcp__a'] } },
  );
  await session.say('go');
  expect(ran()).toEqual([]);
});

test('a sub-agent and whoever started it hear which of its servers cannot be used, and why', async () => {
  const servers = ['a', 'nobody', { own: { command: '/nowhere/at-all' }, odd: { command: 7 } }] as const;
  const { session, model } = await open(
    [[call('Agent', { description: 'x', prompt: 'Look', agent: 'reader' })], [say('Could not.')], [say('well')]],
    {
      agents: [{ name: 'reader', description: 'reads', prompt: 'p', servers: servers }],
    },
  );
  await session.say('go');
  const told = [
    /server \\"nobody\\" of this agent cannot be used: there is none/u,
    /server \\"own\\" of this agent cannot be used: it is failed: [^\]]*at-all/u,
    /server \\"odd\\" of this agent cannot be used: it is invalid: command/u,
  ];
  for (const request of model.requests.slice(1)) {
    const text = textOf(request.messages);
    for (const words of told) expect(text).toMatch(words);
    expect(text).not.toContain('\\"a\\" of this agent');
  }
});

test('several sub-agents work at the same time', async () => {
  const both = deferred();
  let waiting = 0;
  const meet: Line = async function* () {
    if (++waiting === 2) both.resolve();
    await both.promise;
    yield { kind: 'part', part: say('met') };
    yield { kind: 'end', reason: 'done', usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
  };
  const { session } = await open([
    [call('Agent', { description: 'x', prompt: 'x' }, 'c1'), call('Agent', { description: 'y', prompt: 'y' }, 'c2')],
    meet,
    meet,
    [say('both')],
  ]);
  expect(await session.say('go')).toMatchObject({ kind: 'sent', end: { kind: 'done', text: 'both' } });
});

test('a sub-agent that is stopped, fails or is unknown is an answer to its call', async () => {
  const { session, model } = await open([
    [call('Agent', { description: 'x', prompt: 'x', agent: 'nobody' })],
    [call('Agent', { description: 'x', prompt: '' }, 'c2')],
    [call('Agent', { description: 'x', prompt: 'x', tools: ['mcp__a(b)'] }, 'c3')],
    [call('Agent', { description: 'x', prompt: 'x' }, 'c4')],
    failing,
    [say('well')],
  ]);
  expect(await session.say('go')).toMatchObject({ kind: 'sent', end: { kind: 'done', text: 'well' } });
  const text = textOf(model.requests.at(-1)!.messages);
  expect(text).toMatch(/There is no agent|agent/u);
  expect(text).toContain('brackets');
  expect(text).toContain('broken');
});

test.each<[string, readonly Line[], boolean]>([
  ['is done', [[say('done')]], false],
  ['cannot ask its model', [() => throwing()], false],
  ['is stopped', [(signal) => stalling(signal)], true],
])('a server that a sub-agent has of its own is closed when it %s', async (_, rest, isStopped) => {
  const own = { command: process.execPath, args: ['-e', PID_SERVER] };
  const agents: AgentDefinition[] = [{ name: 'x', description: 'x', prompt: 'x', servers: ['a', { own }] }];
  const start = call('Agent', { description: 'look', prompt: 'Look', agent: 'x' });
  const { session, events } = await open([[start], [call('mcp__own__pid', {}, 'inner')], ...rest], { agents });
  const pidOf = (): string | undefined =>
    /\bpid (\d+)/u.exec(JSON.stringify(events.filter((event) => event.kind === 'agent')))?.[1];
  const stop = new AbortController();
  const said = session.say('go', { signal: stop.signal });
  if (isStopped) await untilFound(pidOf);
  if (isStopped) stop.abort();
  await said;
  expect(pidOf()).toBeDefined();
  expect(() => process.kill(Number(pidOf()), 0)).toThrow('ESRCH');
});

// oxlint-disable-next-line require-yield -- it says nothing
async function* throwing(): AsyncIterable<ModelEvent> {
  throw new HostError('model-failed', 'no');
}

// oxlint-disable-next-line require-yield -- it says nothing
async function* stalling(signal: AbortSignal): AsyncIterable<ModelEvent> {
  await once(signal, 'abort');
}

/** A server whose tool returns its pid. */
const PID_SERVER = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const results = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'o', version: '1' } },
    'tools/list': { tools: [{ name: 'pid', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'pid ' + process.pid }] },
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
})`;

test('definitions of agents are read one by one, and a bad one harms no other', () => {
  const { agents, faults } = readAgents({
    good: { description: 'd', prompt: 'p', tools: ['mcp__a'], mcpServers: ['a', { own: { command: 'x' } }] },
    'bad name': { description: 'd', prompt: 'p' },
    empty: { description: ' ', prompt: 'p' },
    rules: { description: 'd', prompt: 'p', tools: ['a,b'] },
    servers: { description: 'd', prompt: 'p', mcpServers: [1] },
    none: 7,
  });
  expect(agents.map(({ name }) => name)).toEqual(['good']);
  expect(faults.length).toBe(5);
  expect(faults.join('\n')).toMatch(/agents\.rules: tools: The rule "a,b" has a comma/u);
  expect(readAgents([]).faults).toEqual(['agents: expected an object of agents by name']);
});

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

function failing(): never {
  throw new Error('broken');
}
