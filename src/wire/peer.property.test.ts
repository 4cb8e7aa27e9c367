import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { turn } from '../../test/fake-clock.js';
import { scene } from '../../test/peer-scene.js';

test('whatever a server says, every call ends once, with its own answer or an error', async () => {
  const runs = process.env['PLUGBOARD_FULL'] ? 1_000 : 20;
  const perRun = process.env['PLUGBOARD_FULL'] ? 1_000 : 200;
  const field = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('2.0', 'ping', 'notifications/progress', null, 0),
  );
  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record(
      { jsonrpc: field, id: field, method: field, params: field, result: field, error: field },
      { requiredKeys: [] },
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(junk, { minLength: perRun, maxLength: perRun }), fc.nat(), async (messages, seed) => {
      const { peer, seen, say } = scene();
      const calls = Array.from({ length: 20 }, (_, index) => peer.request('tools/call', { index }));
      await turn();
      const asked = [...seen];
      for (const [index, message] of messages.entries()) {
        say(message);
        const answered = asked[(index + seed) % messages.length];
        if (answered) say({ jsonrpc: '2.0', id: answered.id, result: { echo: answered.params!['index'] } });
      }
      const answers = await Promise.all(calls);
      expect(answers.map(({ echo }) => echo)).toEqual(Array.from({ length: 20 }, (_, index) => index));
      expect(peer.requests.size).toBe(0);
    }),
    { numRuns: runs },
  );
});
