import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadHostConfig } from '../../src/config/load.js';
import { Host } from '../../src/host/host.js';
import { inside } from '../../src/host/inside.js';
import type { SessionEvent } from '../../src/session/session-event.js';
import { Session } from '../../src/session/session.js';
import { openWalk } from '../calls/walk-scene.js';
import { anthropicDialect, type AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import { openScriptedApi, type Reply, type ScriptedApi } from '../fixtures/scripted-api.js';
import { anthropicAt } from './models-scene.js';

// sampling-server.mjs asks ten questions at once in one call, and does not hear that the call is cancelled.

interface Scene {
  readonly session: Session;
  readonly api: ScriptedApi;
  readonly events: SessionEvent[];
}

/** `toServer`: what the model answers to the server's questions. The model calls the server's tool first. */
async function open(toServer: Reply<AnthropicTurn>): Promise<Scene> {
  const walk = openWalk();
  onTestFinished(() => walk[Symbol.asyncDispose]());
  walk.configure({
    thinker: { command: process.execPath, args: [resolve(import.meta.dirname, '../calls/sampling-server.mjs')] },
  });
  const calling = [{ type: 'tool_use', id: 'toolu_1', name: 'mcp__thinker__ponder', input: {} }];
  const api = await openScriptedApi<AnthropicTurn>(anthropicDialect, (turn, body) => {
    if (body['max_tokens'] === 10) return toServer;
    return { blocks: turn === 1 ? calling : [{ type: 'text', text: 'Done' }], usage: USAGE };
  });
  onTestFinished(() => api[Symbol.asyncDispose]());
  const where = { cwd: walk.project, env: walk.env, permissions: { mode: 'bypass' as const } };
  const loaded = await loadHostConfig(where);
  const events: SessionEvent[] = [];
  const session = new Session({
    openHost: (more) => Host[inside](loaded, { ...where, ...more, watch: false }),
    model: anthropicAt(api.url),
    onEvent: (event) => void events.push(event),
  });
  onTestFinished(() => session[Symbol.asyncDispose]());
  await session.host.settled();
  return { session, api, events };
}

const USAGE = { input_tokens: 100, output_tokens: 10 };

test('what servers ask the model counts in the usage of the session', async () => {
  const { session, events } = await open({
    blocks: [{ type: 'text', text: 'Blue' }],
    usage: { input_tokens: 7, output_tokens: 3 },
  });
  const said = await session.say('Ponder');
  expect(said).toMatchObject({ kind: 'sent', end: { kind: 'done', usage: { input: 200, output: 20 } } });
  expect(session.usage).toMatchObject({ input: 270, output: 50 });
  const asked = events.filter((event) => event.kind === 'sampling');
  expect(asked.filter(({ phase }) => phase === 'began')).toHaveLength(10);
  expect(asked.filter(({ phase }) => phase === 'ended')).toHaveLength(10);
});

test('who stops the turn stops what servers ask the model, also what still waits its turn', async () => {
  const { session, api, events } = await open(undefined);
  const stop = new AbortController();
  const saying = session.say('Ponder', { signal: stop.signal });
  // The turn's own request, and two of the server at a time.
  await api.asked(3);
  stop.abort();
  expect(await saying).toMatchObject({ kind: 'sent', end: { kind: 'cancelled' } });
  await api.left(2);
  await expect
    .poll(() => events.filter((event) => event.kind === 'sampling' && event.phase === 'ended'))
    .toHaveLength(2);
  expect(api.requests).toHaveLength(3);
  expect(session.usage).toMatchObject({ input: 100, output: 10 });
});
