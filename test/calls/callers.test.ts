import { join, resolve } from 'node:path';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Host } from '../../src/host/host.js';
import type { Caller } from '../../src/model/caller.js';
import { acceptedBy, testCaller } from '../eras/test-caller.js';
import { openScene } from '../host/scene.js';

const QUESTION = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

interface Asking extends AsyncDisposable {
  readonly host: Host;
  /** How often the host's own user was asked. */
  readonly asked: () => number;
  /** The elicitation result that the server gets when it asks during a call for this caller. */
  readonly ask: (caller?: Caller, host?: Host) => Promise<unknown>;
  /** A call that runs until `release`. */
  readonly hold: (caller?: Caller) => Promise<unknown>;
  readonly release: () => void;
}

async function openAsking(era: 'legacy' | 'modern'): Promise<Asking> {
  const scene = openScene();
  const done = join(scene.home, 'done');
  const args = [resolve(import.meta.dirname, 'question-server.mjs')];
  scene.configure({ asker: { command: process.execPath, args, env: { ERA: era, DONE: done } } });
  let asked = 0;
  const { host } = await scene.open({
    ports: {
      elicit: async () => {
        asked++;
        return { action: 'decline' };
      },
    },
  });
  await host.settled();
  return {
    host,
    asked: () => asked,
    ask: async (caller, by = host) => {
      const { content, error } = await by.call({ name: 'mcp__asker__ask', input: { question: QUESTION }, caller });
      if (error) return error.message;
      const { requestState: _, ...received } = JSON.parse(String(content[0]!['text'])) as { requestState?: string };
      return received;
    },
    hold: (caller) => host.call({ name: 'mcp__asker__wait', input: {}, caller }),
    release: () => writeFileSync(done, ''),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

test.each(['legacy', 'modern'] as const)('in %s, a question goes to the caller of its call', async (era) => {
  await using asking = await openAsking(era);
  const [ann, ben] = [testCaller('ann'), testCaller('ben')];
  expect(await asking.ask(ann)).toEqual(acceptedBy(ann));
  expect(await asking.ask(ben)).toEqual(acceptedBy(ben));
  expect(asking.asked()).toBe(0);
  // A call without a caller belongs to the host's own user, in a fork too.
  expect(await asking.ask()).toEqual({ action: 'decline' });
  await using fork = asking.host.fork();
  expect(await asking.ask(undefined, fork)).toEqual({ action: 'decline' });
  expect(asking.asked()).toBe(2);
  expect([ann.asked, ben.asked]).toEqual([['asker elicitation/create'], ['asker elicitation/create']]);
});

test('on a shared line of the older era a question among calls of two callers reaches neither', async () => {
  await using asking = await openAsking('legacy');
  const ann = testCaller('ann');
  const holding = asking.hold();
  expect(await asking.ask(ann)).toMatchObject({ code: -32000, message: expect.stringContaining('several callers') });
  asking.release();
  await holding;
  expect([ann.asked, asking.asked()]).toEqual([[], 0]);
  expect(await asking.ask(ann)).toEqual(acceptedBy(ann));
});

test('in the newer era each of two callers is asked inside its own answer, at the same time', async () => {
  await using asking = await openAsking('modern');
  const ann = testCaller('ann');
  const answers = await Promise.all([asking.ask(), asking.ask(ann), asking.ask(), asking.ask(ann)]);
  expect(answers).toEqual([{ action: 'decline' }, acceptedBy(ann), { action: 'decline' }, acceptedBy(ann)]);
});

test('parallel calls of one caller are answered by it, and so is the user of the host', async () => {
  await using asking = await openAsking('legacy');
  const ann = testCaller('ann');
  expect(await Promise.all([asking.ask(ann), asking.ask(ann)])).toEqual([acceptedBy(ann), acceptedBy(ann)]);
  expect(await Promise.all([asking.ask(), asking.ask()])).toEqual([{ action: 'decline' }, { action: 'decline' }]);
});

test('a caller that has not declared forms is not asked', async () => {
  await using asking = await openAsking('legacy');
  const mute = testCaller('mute', { capabilities: {} });
  expect(await asking.ask(mute)).toMatchObject({ code: -32601 });
  expect([mute.asked, asking.asked()]).toEqual([[], 0]);
});
