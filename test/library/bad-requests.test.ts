import { expect, test } from 'vitest';
import type { Host } from '../../src/index.js';
import { embed } from '../calls/embedded.js';
import { openWalk } from '../calls/walk-scene.js';

const NONE: readonly unknown[] = [undefined, null, 5, 'mcp__a__one', [], () => {}, Symbol('x'), {}, { name: 7 }];

test.each(NONE)('a call that is none is a result: %s', async (request) => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['a', ['one']]]).options);
  const result = await host.call(request as never);
  const isObject = typeof request === 'object' && request !== null && !Array.isArray(request);
  // A request without a name has always been a call of an unknown tool.
  const code = isObject ? 'unknown-tool' : 'usage';
  expect(result).toMatchObject({ outcome: 'error', error: { code }, attempts: 0 });
  expect(result.content).toMatchObject([
    { type: 'text', text: expect.stringContaining(result.error!.message) as string },
  ]);
  expect(result.error!.hint).toContain(isObject ? 'host.tools()' : 'host.call({ name:');
});

test.each([
  [{ timeoutMs: 'soon' }, 'timeoutMs has to be a number of milliseconds; it is a string'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs has to be a number of milliseconds; it is NaN'],
  [{ signal: {} }, 'signal has to be an AbortSignal; it is an object'],
  [{ onProgress: 'x' }, 'onProgress has to be a function; it is a string'],
  [{ callId: 7 }, 'callId has to be a string; it is 7'],
  [{ input: 'text', isTyped: true }, 'The input of mcp__a__one has to be an object'],
  [{ input: 'text' }, 'The input of mcp__a__one does not fit'],
])('a call with %j names the field, and nothing is sent', async (more, message) => {
  await using scene = openWalk();
  const { options, servers } = embed([['a', ['one']]]);
  const host = await scene.settle(options);
  const result = await host.call({ name: 'mcp__a__one', ...more } as never);
  expect([result.outcome, result.error!.message]).toEqual(['error', expect.stringContaining(message)]);
  expect(servers.get('a')!.ran).toEqual([]);
  // A model API finds the result by the id of its call.
  const named = await host.call({ name: 'mcp__a__one', ...more, callId: 'c1' } as never);
  expect([named.name, named.callId]).toEqual(['mcp__a__one', 'c1']);
});

test('other requests that are none are answers with an error', async () => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['a', ['one']]]).options);
  const asked: readonly [keyof Host, string][] = [
    ['getPrompt', 'getPrompt takes an object'],
    ['readResource', 'readResource takes an object'],
    ['complete', 'complete takes an object'],
    ['watchResource', 'watchResource takes an object'],
    ['readSkill', 'readSkill takes an object'],
    ['readSkillFile', 'readSkillFile takes an object'],
  ];
  for (const [method, message] of asked) {
    const ask = (host[method] as (request: unknown) => Promise<unknown>).bind(host);
    for (const request of ['x', undefined, null])
      expect(await ask(request)).toMatchObject({ ok: false, error: { code: 'usage', message } });
  }
  expect(await host.readResource({ server: 'a' } as never)).toMatchObject({
    ok: false,
    error: { message: 'readResource needs uri as a string', hint: 'Write host.readResource({ server, uri })' },
  });
  expect(await host.getPrompt({} as never)).toMatchObject({ ok: false });
  await expect(host.callAll(null as never)).rejects.toThrow('requests has to be a list; it is null');
  expect(await host.callAll([null as never])).toMatchObject([{ outcome: 'error', error: { code: 'usage' } }]);
});

const boom = (): never => {
  throw new Error('boom');
};
/** Whatever is read of it throws. */
const mined = (): object => new Proxy({}, { get: boom, has: boom, ownKeys: boom, getOwnPropertyDescriptor: boom });
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const getter = (field: string): object =>
  Object.defineProperty({ name: 'mcp__a__one' }, field, { get: boom, enumerable: true });
const throwing: readonly (readonly [string, () => unknown])[] = [
  ...[
    'name',
    'input',
    'callId',
    'signal',
    'timeoutMs',
    'onProgress',
    'isTyped',
    'isForced',
    'ask',
    'shape',
    'caller',
  ].map((field) => [`a getter of ${field}`, () => getter(field)] as const),
  ['a Proxy', mined],
  ['a revoked Proxy', revoked],
  ['an input that is a Proxy', () => ({ name: 'mcp__a__one', input: mined() })],
  ['an input that is a revoked Proxy', () => ({ name: 'mcp__a__one', input: revoked() })],
  ['a getter in the input', () => ({ name: 'mcp__a__one', input: getter('x') })],
  ['a getter deep in the input', () => ({ name: 'mcp__a__one', input: { a: [getter('x')] } })],
  ['a toJSON in the input', () => ({ name: 'mcp__a__one', input: { a: { toJSON: boom } } })],
  ['a toJSON of the input', () => ({ name: 'mcp__a__one', input: { toJSON: boom } })],
  ['a BigInt', () => ({ name: 'mcp__a__one', input: { a: 1n } })],
  ['what cannot be a text', () => Object.defineProperty({}, 'name', { get: () => thrown(Object.create(null)) })],
  ['an error that throws', () => Object.defineProperty({}, 'name', { get: () => thrown(mined()) })],
  ['a server of CallMcpTool', () => ({ name: 'CallMcpTool', input: mined() })],
];

function thrown(value: unknown): never {
  throw value;
}

test.each([
  ['an allowed call', {}],
  ['a call that the user is asked about', { permissions: { mode: 'default' }, ports: { ask: async () => YES } }],
] as const)('a request that throws when it is read is a result, and nothing is sent: %s', async (_, more) => {
  await using scene = openWalk();
  const mcpConfig = [JSON.stringify({ mcpServers: { a: scene.walking(['one']) } })];
  const host = await scene.settle({ mcpConfig, ...more });
  for (const [what, toRequest] of throwing) {
    const results = [
      await host.call(toRequest() as never),
      ...(await host.callAll([toRequest() as never, toRequest() as never])),
    ];
    expect([what, results.map(({ outcome }) => outcome)]).toEqual([what, ['error', 'error', 'error']]);
    expect(await host.foresee('mcp__a__one', toRequest() as never)).toBeDefined();
  }
  expect(scene.journalLines()).toEqual([]);
});

const YES = { kind: 'allow', remember: 'once' } as const;

test('other requests of which something throws are answers with an error', async () => {
  await using scene = openWalk();
  const host = await scene.settle(embed([['a', ['one']]]).options);
  const methods = 'getPrompt readResource complete watchResource readSkill readSkillFile'.split(' ');
  for (const method of methods) {
    const ask = (host[method as keyof Host] as (request: unknown) => Promise<unknown>).bind(host);
    for (const request of [mined(), revoked(), getter('server'), { server: 'a', arguments: mined() }])
      expect(await ask(request)).toMatchObject({ ok: false });
  }
  for (const request of [mined(), revoked(), getter('server')]) {
    expect(await host.resources(request)).toMatchObject({ ok: false });
    expect(await host.prompts(request)).toMatchObject({ ok: false });
    expect(await host.skills(request)).toMatchObject({ skills: [], notes: [expect.stringContaining('skills')] });
    expect(await host.runPrompt('/mcp__a__x', request)).toMatchObject({ ok: false });
    expect(await host.resolveMentions('@a:x', request)).toMatchObject({ blocks: [] });
  }
});
