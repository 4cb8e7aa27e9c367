import { expect, onTestFinished, test } from 'vitest';
import { HostError } from '../../src/base/errors.js';
import type { Host } from '../../src/host/host.js';
import { Conversation } from '../../src/session/conversation.js';
import type { Message } from '../../src/session/message.js';
import type { ModelEvent } from '../../src/session/model-port.js';
import type { SessionEvent } from '../../src/session/session-event.js';
import { embed, type Inside } from '../calls/embedded.js';
import { openWalk, type WalkTool } from '../calls/walk-scene.js';
import { answer, call, type Line, say, scriptedModel, type ScriptedModel } from './scripted-model.js';

interface Scene {
  readonly host: Host;
  readonly conversation: Conversation;
  readonly model: ScriptedModel;
  readonly events: SessionEvent[];
  readonly server: Inside;
}

async function open(lines: readonly Line[], tools: readonly WalkTool[] = ['one'], more: object = {}): Promise<Scene> {
  const walk = openWalk();
  onTestFinished(() => walk[Symbol.asyncDispose]());
  const { options, servers } = embed([['a', tools]]);
  const host = await walk.settle({ ...options, permissions: { mode: 'bypass' } });
  const model = scriptedModel(lines);
  const events: SessionEvent[] = [];
  const onEvent = (event: SessionEvent): void => void events.push(event);
  const conversation = new Conversation({ host, model, id: 'test', onEvent, ...more });
  return { host, conversation, model, events, server: servers.get('a')! };
}

const user = (text: string): readonly Message[] => [{ role: 'user', parts: [{ kind: 'text', text }] }];
const rolesOf = (messages: readonly Message[]): string => messages.map(({ role }) => role).join(' ');

/** Checks that every call has its result in the next message, and that there are no other results. */
function checkWhole(messages: readonly Message[]): void {
  for (const [at, message] of messages.entries()) {
    const ids =
      message.role === 'assistant' ? message.parts.flatMap((part) => (part.kind === 'call' ? [part.id] : [])) : [];
    const next = messages[at + 1];
    const answered =
      next?.role === 'results' ? next.results.map((one) => (one as Record<string, unknown>)['tool_use_id']) : [];
    expect(answered).toEqual(ids);
  }
}

test('a model calls tools until it is done, and reads what came of them', async () => {
  const { conversation, model, events, server } = await open([
    [say('Let me look.'), call('mcp__a__one', { x: 1 })],
    [say('It is done.')],
  ]);
  const end = await conversation.send(user('go'));
  expect(end).toMatchObject({ kind: 'done', turns: 2, text: 'It is done.', usage: { input: 20, output: 2 } });
  expect(server.ran).toEqual([{ tool: 'one', input: { x: 1 } }]);
  expect(rolesOf(conversation.messages)).toBe('user assistant results assistant');
  expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toContain('a/one');
  expect(events.map(({ kind }) => kind).join(' ')).toBe('text writing-call message call result results text message');
  checkWhole(conversation.messages);
});

test('what the model has read goes out again as it was, with what is new behind it', async () => {
  const { host, conversation, model, server } = await open([[call('mcp__a__one')], [say('first')], [say('second')]]);
  await conversation.send(user('go'));
  server.set(['one', 'two']);
  await expect.poll(() => host.tools().length).toBe(2);
  await conversation.send(user('on'));
  const [first, ...later] = model.requests;
  for (const [at, request] of later.entries()) {
    const before = at === 0 ? first! : later[at - 1]!;
    expect(request.system).toEqual(before.system);
    expect(request.tools.slice(0, before.tools.length)).toEqual(before.tools);
    expect(request.messages.slice(0, before.messages.length)).toEqual(before.messages);
  }
  expect(JSON.stringify(later.at(-1)!.messages)).toContain('has new tools: mcp__a__two');
});

test('an answer that is stopped keeps its words, and the model is told', async () => {
  const stop = new AbortController();
  const { conversation } = await open([
    async function* (): AsyncIterable<ModelEvent> {
      yield { kind: 'part', part: { kind: 'reasoning', text: 'hm' } };
      yield { kind: 'text', text: 'Half of ' };
      yield { kind: 'part', part: call('mcp__a__one') };
      stop.abort();
      yield { kind: 'text', text: 'never read' };
    },
  ]);
  expect(await conversation.send(user('go'), { signal: stop.signal })).toMatchObject({
    kind: 'cancelled',
    isSent: true,
  });
  expect(conversation.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      parts: [
        { kind: 'reasoning', text: 'hm' },
        { kind: 'text', text: 'Half of ' },
      ],
    },
    { role: 'user', parts: [{ kind: 'text', text: expect.stringContaining('stopped you') }] },
  ]);
  checkWhole(conversation.messages);
});

test('what is stopped before a word was said was never said', async () => {
  const stop = new AbortController();
  const { conversation } = await open([
    () => {
      stop.abort();
      throw new HostError('cancelled', 'stopped');
    },
    [say('yes')],
  ]);
  expect(await conversation.send(user('go'), { signal: stop.signal })).toMatchObject({
    kind: 'cancelled',
    isSent: false,
  });
  expect(conversation.messages).toEqual([]);
  expect(await conversation.send(user('again'))).toMatchObject({ kind: 'done' });
});

test('a call that is stopped has its answer, and the conversation goes on', async () => {
  const stop = new AbortController();
  const { conversation, model } = await open(
    [[call('mcp__a__one', {}, 'x'), call('mcp__a__one', {}, 'y')], [say('on')]],
    ['one'],
    { onEvent: (event: SessionEvent) => event.kind === 'call' && event.id === 'y' && stop.abort() },
  );
  expect(await conversation.send(user('go'), { signal: stop.signal })).toMatchObject({
    kind: 'cancelled',
    isSent: true,
  });
  checkWhole(conversation.messages);
  expect(await conversation.send(user('on'))).toMatchObject({ kind: 'done' });
  expect(rolesOf(model.requests[1]!.messages)).toBe('user assistant results user user');
});

test('a request that is refused takes back what was said; later ones take back nothing', async () => {
  const { conversation } = await open([refused, [call('mcp__a__one')], refused, [say('well')]]);
  expect(await conversation.send(user('go'))).toMatchObject({
    kind: 'failed',
    isSent: false,
    error: { message: 'no' },
  });
  expect(conversation.messages).toEqual([]);
  expect(await conversation.send(user('go'))).toMatchObject({ kind: 'failed', isSent: true, turns: 2 });
  expect(rolesOf(conversation.messages)).toBe('user assistant results');
  expect(await conversation.send(user('and?'))).toMatchObject({ kind: 'done' });
});

test('calls that a small server numbers from 0 each time are told apart', async () => {
  const { conversation } = await open([
    [call('mcp__a__one', { at: 1 }, 'c0'), call('mcp__a__one', { at: 2 }, 'c0')],
    [call('mcp__a__one', { at: 3 }, 'c0'), call('mcp__a__one', { at: 4 }, '')],
    [say('done')],
  ]);
  await conversation.send(user('go'));
  const ids = conversation.messages.flatMap((message) =>
    message.role === 'assistant' ? message.parts.flatMap((part) => (part.kind === 'call' ? [part.id] : [])) : [],
  );
  expect(new Set(ids).size).toBe(4);
  checkWhole(conversation.messages);
});

test('arguments that are no JSON are answered, not guessed', async () => {
  const { conversation, server, events } = await open([
    [{ kind: 'call', id: 'c', name: 'mcp__a__one', input: {}, fault: 'its arguments are no JSON' }],
    [say('sorry')],
  ]);
  await conversation.send(user('go'));
  expect(server.ran).toEqual([]);
  expect(events.find(({ kind }) => kind === 'result')).toMatchObject({ result: { outcome: 'error' } });
  expect(JSON.stringify(conversation.messages)).toContain('its arguments are no JSON');
});

test('a model that never ends is stopped after so many turns', async () => {
  const { conversation, server } = await open(
    Array.from({ length: 9 }, (_, at) => [call('mcp__a__one', {}, `c${at}`)]),
    ['one'],
    { maxTurns: 3 },
  );
  expect(await conversation.send(user('go'))).toMatchObject({ kind: 'max-turns', turns: 3 });
  expect(server.ran.length).toBe(3);
  checkWhole(conversation.messages);
});

test('an API that pauses is asked to go on, and one that says nothing is not asked for ever', async () => {
  const { conversation, model } = await open([
    () => answer([say('searching')], 'paused'),
    () => answer([say('found')]),
    () => answer([], 'paused'),
  ]);
  expect(await conversation.send(user('go'))).toMatchObject({ kind: 'done', text: 'found', turns: 2 });
  expect(rolesOf(model.requests[1]!.messages)).toBe('user assistant');
  expect(await conversation.send(user('go'))).toMatchObject({ kind: 'done', text: '', turns: 1 });
});

test('what a provider runs itself is shown and written down, and never called', async () => {
  const { conversation, events, server } = await open([
    [
      { kind: 'provider-call', id: 's', name: 'web_search', input: { query: 'x' }, extra: { a: 1 } },
      { kind: 'provider-result', id: 's', name: 'web_search', result: [{ url: 'https://x.test' }], isError: false },
      say('found'),
    ],
  ]);
  await conversation.send(user('go'));
  expect(server.ran).toEqual([]);
  expect(events.slice(0, 2)).toEqual([
    { kind: 'provider-call', id: 's', name: 'web_search', input: { query: 'x' } },
    { kind: 'provider-result', id: 's', name: 'web_search', result: [{ url: 'https://x.test' }], isError: false },
  ]);
});

test('another model reads the same conversation, in the shape of its own API', async () => {
  const { conversation, model } = await open([
    [{ kind: 'reasoning', text: 'hm', extra: { signature: 's' } }, call('mcp__a__one')],
    [say('done')],
  ]);
  await conversation.send(user('go'));
  const other = scriptedModel([[say('I see')]], { name: 'other', profile: 'openai' });
  conversation.useModel(other);
  expect(await conversation.send(user('and you?'))).toMatchObject({ kind: 'done', text: 'I see' });
  const text = JSON.stringify(other.requests[0]!.messages);
  expect(text).toContain('"role":"tool"');
  expect(text).not.toContain('tool_use_id');
  expect(text).not.toContain('signature');
  expect(model.requests.length).toBe(2);
});

test('another model takes over when what is under way has ended', async () => {
  const other = scriptedModel([[say('I see')]], { name: 'other', profile: 'openai' });
  const scene: Scene = await open([
    async function* (): AsyncIterable<ModelEvent> {
      scene.conversation.useModel(other);
      yield* answer([call('mcp__a__one')]);
    },
    [say('done')],
  ]);
  const { conversation, model } = scene;
  expect(await conversation.send(user('go'))).toMatchObject({ kind: 'done', text: 'done' });
  expect(JSON.stringify(model.requests[1]!.messages)).toContain('tool_use_id');
  expect(await conversation.send(user('and you?'))).toMatchObject({ kind: 'done', text: 'I see' });
  expect(JSON.stringify(other.requests[0]!.messages)).not.toContain('tool_use_id');
});

test('names of tools that a model made up are such that every API takes them', async () => {
  const { conversation } = await open([
    [call('functions.look up:0', {}, 'c1'), call('', {}, 'c2'), call('x'.repeat(500), {}, 'c3')],
    [say('there is none')],
  ]);
  await conversation.send(user('go'));
  conversation.useModel(scriptedModel([], { name: 'other' }));
  const [, said] = conversation.messages;
  const names = said?.role === 'assistant' ? said.parts.map((part) => (part.kind === 'call' ? part.name : '')) : [];
  expect(names).toEqual(['functions_look_up_0', 'unknown', 'x'.repeat(64)]);
  checkWhole(conversation.messages);
});

test.each(['length', 'refused', 'other'] as const)(
  'thoughts that nothing follows do not go back: an API would refuse all that comes later (%s)',
  async (reason) => {
    const thought = { kind: 'reasoning', text: 'hm', extra: { type: 'thinking', signature: 's' } } as const;
    const { conversation } = await open([
      () => answer([say('Well'), thought], reason),
      () => answer([thought], reason),
    ]);
    await conversation.send(user('go'));
    await conversation.send(user('on'));
    expect(conversation.messages).toEqual([...user('go'), { role: 'assistant', parts: [say('Well')] }, ...user('on')]);
  },
);

test('what the provider was about to run when it was stopped does not go back, however that ended', async () => {
  const search = { kind: 'provider-call', id: 's', name: 'web_search', input: {} } as const;
  const paused: Line = () => answer([say('searching'), { kind: 'reasoning', text: 'hm' }, search], 'paused');
  const stop = new AbortController();
  const stopping: Line = async function* () {
    stop.abort();
    yield* answer([say('x')]);
  };
  for (const [next, more] of [
    [refused, {}],
    [stopping, {}],
    [[say('never')], { maxTurns: 1 }],
    [() => answer([search], 'length'), {}],
  ] as const) {
    const { conversation, model } = await open([paused, next], ['one'], more);
    const { signal } = next === stopping ? stop : new AbortController();
    await conversation.send(user('go'), { signal });
    // While the provider may continue, its unfinished call stays in the messages.
    const later = model.requests.slice(1).map(({ messages }) => JSON.stringify(messages));
    expect(later.filter((text) => !text.includes('web_search'))).toEqual([]);
    expect(JSON.stringify(conversation.messages)).not.toContain('web_search');
    expect(conversation.messages[1]).toEqual({ role: 'assistant', parts: [say('searching')] });
  }
});

test('a call that was cut before its arguments is not made without them', async () => {
  const { conversation, server } = await open([
    () => answer([call('mcp__a__one', { x: 1 }, 'c1'), call('mcp__a__one', {}, 'c2')], 'length'),
    [call('mcp__a__one', {}, 'c3')],
    [say('done')],
  ]);
  expect(await conversation.send(user('go'))).toMatchObject({ kind: 'done' });
  expect(server.ran.map(({ input }) => input)).toEqual([{ x: 1 }, {}]);
  expect(JSON.stringify(conversation.messages[2])).toContain('the answer was cut before its arguments');
  checkWhole(conversation.messages);
});

test('two things at once are not said', async () => {
  const { conversation } = await open([[say('one')], [say('two')]]);
  const [first, second] = await Promise.all([conversation.send(user('a')), conversation.send(user('b'))]);
  expect([first.kind, second.kind]).toEqual(['done', 'failed']);
});

async function* refused(): AsyncIterable<ModelEvent> {
  yield { kind: 'text', text: 'half' };
  throw new HostError('model-failed', 'no');
}

test('results that an API refuses are withheld, once, and the conversation goes on', async () => {
  const tooLong = new HostError('model-failed', 'prompt is too long', { detail: { kind: 'http', status: 400 } });
  const refusing = (): never => {
    throw tooLong;
  };
  const { conversation, model, events } = await open([
    [call('mcp__a__one')],
    refusing,
    [say('I see')],
    [call('mcp__a__one', {}, 'c2')],
    refusing,
    refusing,
    [say('on')],
  ]);
  expect(await conversation.send(user('go'))).toMatchObject({ kind: 'done', text: 'I see', turns: 3 });
  expect(JSON.stringify(model.requests[2]!.messages)).toContain('cannot be shown to you: prompt is too long');
  expect(JSON.stringify(model.requests[2]!.messages)).not.toContain('a/one');
  expect(events.filter(({ kind }) => kind === 'retry').length).toBe(1);
  expect(await conversation.send(user('more'))).toMatchObject({ kind: 'failed', isSent: true });
  expect(await conversation.send(user('and?'))).toMatchObject({ kind: 'done' });
  checkWhole(conversation.messages);
});
