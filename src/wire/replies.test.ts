import { expect, test } from 'vitest';
import { FakeClock, turn } from '../../test/fake-clock.js';
import type { JsonRpcResponse } from './message.js';
import type { Pipe } from './pipe.js';
import { Replies } from './replies.js';

interface Scene {
  readonly replies: Replies;
  readonly clock: FakeClock;
  readonly sent: unknown[];
  lost: number;
  backlog: number;
  /** Whether the server accepts what it is sent. */
  isTaken: boolean;
}

function scene(): Scene {
  const clock = new FakeClock();
  const sent: unknown[] = [];
  const pipe = {
    get backlog() {
      return found.backlog;
    },
    notify(message: JsonRpcResponse) {
      sent.push(message.id);
      return found.isTaken ? Promise.resolve() : new Promise<void>(() => {});
    },
  } as Pick<Pipe, 'backlog' | 'notify'> as Pipe;
  const replies = new Replies(pipe, clock, () => found.lost++);
  const found: Scene = { replies, clock, sent, lost: 0, backlog: 0, isTaken: true };
  return found;
}

const reply = (id: number): JsonRpcResponse => ({ jsonrpc: '2.0', id, result: {} });

test('a hundred replies of one turn all go out, in order', async () => {
  const found = scene();
  for (let id = 1; id <= 100; id++) found.replies.send(reply(id));
  await turn();
  expect(found.sent).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
});

test('while a large one is still being read the others wait, and go out when it has been', async () => {
  const found = scene();
  found.backlog = 3_000_000;
  found.replies.send(reply(1));
  found.replies.send(reply(2));
  await found.clock.pass(1_000);
  expect(found.sent).toEqual([]);
  found.backlog = 0;
  await found.clock.pass(20);
  expect(found.sent).toEqual([1, 2]);
  expect(found.lost).toBe(0);
  expect(found.clock.timers).toBe(0);
});

test('a server that asks for ever and takes nothing holds 16 connections and 256 replies, and no more', async () => {
  const found = scene();
  found.isTaken = false;
  for (let id = 1; id <= 1_000; id++) found.replies.send(reply(id));
  await turn();
  expect(found.sent).toHaveLength(16);
  expect(found.lost).toBe(1_000 - 16 - 256);
});
