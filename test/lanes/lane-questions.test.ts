import { expect, test } from 'vitest';
import { client, openLanes, startHttp, stdioEntry } from './lane-scene.js';

const OWNERS = 8;
const CALLS = 64;

/** Calls that were asked, with the owner and the call that answered, as the server tells it. */
interface Riddle {
  readonly nonce: string;
  readonly said: readonly { readonly action: string; readonly content: { readonly by: string } }[];
}

/** On stdio a question names no call: it goes to the right client, at its newest call. Elsewhere to exactly the call. */
test.each([
  ['a legacy server on stdio', 'client', async () => onStdio()],
  ['a legacy server over HTTP', 'call', () => startHttp()],
  ['a modern server on stdio', 'call', async () => onStdio('--era', 'modern')],
  ['a modern server over HTTP', 'call', () => startHttp('--era', 'modern')],
] as const)('%s asks at random in 64 calls of 8 clients: each %s gets its own questions', async (_, exact, start) => {
  await using server = await start();
  await using lanes = await openLanes(server.entry);
  const owners = Array.from({ length: OWNERS }, (__, at) => client(`owner-${at}`, { principal: `p${at % 3}` }));
  const told = await Promise.all(
    Array.from({ length: CALLS }, async (__, at) => {
      const owner = owners[at % OWNERS]!;
      const nonce = `${owner.lane}/${at}`;
      const caller = owner.one(nonce);
      const text = await lanes.call('riddle', caller, { input: { nonce, questions: 1 + (at % 3) } });
      return { nonce, questions: 1 + (at % 3), riddle: JSON.parse(text) as Riddle };
    }),
  );
  for (const { nonce, questions, riddle } of told) {
    expect(riddle.nonce).toBe(nonce);
    expect(riddle.said).toHaveLength(questions);
    for (const { action, content } of riddle.said) {
      expect(action).toBe('accept');
      const by = exact === 'call' ? content.by : content.by.split('/')[0];
      expect(by).toBe(exact === 'call' ? nonce : nonce.split('/')[0]);
    }
  }
  // Every client saw questions about its own calls alone.
  for (const { lane, asked } of owners) {
    expect(asked.length).toBeGreaterThan(0);
    for (const line of asked) expect(line).toContain(`elicitation/create ${lane}/`);
  }
});

function onStdio(...args: readonly string[]): { readonly entry: Record<string, unknown> } & AsyncDisposable {
  return { entry: stdioEntry(...args), [Symbol.asyncDispose]: async () => {} };
}
