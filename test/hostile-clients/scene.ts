import { expect } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import type { HandledRequest } from '../../src/serving/http/http-serving.js';
import { initialize, modern, post, serve, type Setting } from '../serving/http-fixture.js';
import type { Message } from '../serving/message.js';
import { HostileEndpoint } from './hostile-endpoint.js';

/** Whether the long versions run. */
export const IS_FULL = process.env['PLUGBOARD_FULL'] !== undefined;

/** One served endpoint, with a hostile client and a healthy one beside it. */
export interface Scene extends Setting {
  readonly endpoint: HostileEndpoint;
  readonly port: number;
  /** The requests whose connections have done with them. */
  readonly handled: readonly HandledRequest[];
}

/** A row of the table. */
export interface HostileClient {
  readonly does: string;
  /** Returns what the client sees; it closes what it has opened. */
  readonly attack: (scene: Scene) => Promise<unknown>;
  readonly sees: unknown;
}

export async function openScene(options: Parameters<typeof serve>[0] = {}): Promise<Scene> {
  const endpoint = new HostileEndpoint();
  const handled: HandledRequest[] = [];
  const onRequest = (request: HandledRequest): void => void handled.push(request);
  const setting = await serve({ sse: true, unreadMs: 300, onRequest, ...options, endpoint });
  return { ...setting, endpoint, port: setting.listener.port, handled };
}

/** Runs an attack while healthy clients of both eras call, looks at what is left, and returns what the attacker saw. */
export async function seenBy({ attack }: HostileClient): Promise<unknown> {
  const scene = await openScene();
  const session = await initialize(scene.url);
  await callHealthily(scene, session, 'before');
  const over = new AbortController();
  const attacked = attack(scene).finally(() => over.abort());
  for (let round = 0; round < HEALTHY_ROUNDS && !over.signal.aborted; round++)
    await callHealthily(scene, session, `during-${round}`);
  const seen = await attacked;
  await callHealthily(scene, session, 'after');
  // Nothing is open for anybody who has left.
  await expect.poll(() => scene.serving.open).toBe(0);
  await scene.serving[Symbol.asyncDispose]();
  await scene.listener[Symbol.asyncDispose]();
  await expect.poll(() => [scene.endpoint.unsettled.size, scene.endpoint.watches.length]).toEqual([0, 0]);
  return seen;
}

/** Both clients use the same id, and each must get what it alone has sent. */
async function callHealthily({ url }: Scene, session: string, label: string): Promise<void> {
  const given = { label };
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', arguments: { ...given, era: 1 } },
  };
  const [legacy, newer] = await Promise.all([
    post(url, call, { 'mcp-session-id': session }),
    modern(url, 1, 'echo', { arguments: { ...given, era: 2 } }),
  ]);
  expect(textOf((await legacy.json()) as Message)).toEqual({ ...given, era: 1 });
  expect(textOf((await newer.json()) as Message)).toEqual({ ...given, era: 2 });
}

function textOf(message: Message): JsonObject {
  return JSON.parse(message.result.content[0]!.text) as JsonObject;
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const HEALTHY_ROUNDS = 200;
