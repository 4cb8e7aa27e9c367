import { expect, test } from 'vitest';
import { testClient } from '../../../test/gateway/gateway-scene.js';
import { Lru } from '../../base/collections/lru.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { UrlVisits } from './url-visits.js';

const URL_QUESTION = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in', url: 'https://example.com/in' },
};

function openVisits(action = 'accept') {
  const clock = new FakeClock();
  const client = testClient({ era: 'legacy', revision: '2025-11-25', answers: () => ({ action }) });
  const request = { client, logLevel: undefined, log: () => {}, ask: client.ask.bind(client) };
  const visits = new UrlVisits(request, clock);
  const pages = new Lru<string>({ count: 10, size: Infinity });
  const signal = new AbortController().signal;
  const answer = (): Promise<unknown> => visits.answer(URL_QUESTION, { server: 's', signal, pages });
  return { clock, client, visits, answer };
}

/** How long the next answer takes, in seconds, and what it is. */
async function waited({ clock, answer }: ReturnType<typeof openVisits>): Promise<[number, unknown]> {
  const found: unknown[] = [];
  void answer().then((one) => found.push(one));
  await clock.pass(0);
  let seconds = 0;
  for (; found.length === 0; seconds++) await clock.pass(1_000);
  return [seconds, found[0]];
}

test('a server that asks again for a page is answered after 2, 4, 8 and then each 15 s, for ten minutes', async () => {
  const visits = openVisits();
  const accepted = { action: 'accept' };
  expect(await waited(visits)).toEqual([0, accepted]);
  const waits: number[] = [];
  for (let total = 0; total + 15 < 600; total += waits.at(-1)!) {
    expect(visits.visits.isVisiting(URL_QUESTION)).toBe(true);
    const [seconds, answer] = await waited(visits);
    expect(answer).toEqual(accepted);
    waits.push(seconds);
  }
  expect(waits.slice(0, 6)).toEqual([2, 4, 8, 15, 15, 15]);
  expect(new Set(waits.slice(3))).toEqual(new Set([15]));
  // 14 s and 39 times 15 s are over.
  expect(await waited(visits)).toEqual([1, { action: 'cancel' }]);
  expect(visits.visits.isVisiting(URL_QUESTION)).toBe(false);
  expect(await waited(visits)).toEqual([0, { action: 'cancel' }]);
  expect(visits.client.asked).toHaveLength(1);
  visits.visits.ended();
  expect(visits.client.notified.map(({ method }) => method)).toEqual(['notifications/elicitation/complete']);
});

test('a page that the user did not want is no visit', async () => {
  const visits = openVisits('decline');
  expect(await waited(visits)).toEqual([0, { action: 'decline' }]);
  expect(visits.visits.isVisiting(URL_QUESTION)).toBe(false);
  expect(await waited(visits)).toEqual([0, { action: 'decline' }]);
  expect(visits.client.asked).toHaveLength(2);
});
