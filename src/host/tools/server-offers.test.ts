import { expect, test } from 'vitest';
import type { TimeSlice } from '../../edge/time-slice.js';
import { ServerOffers, type ServerOffersOptions } from './server-offers.js';

const TOOLS = Array.from({ length: 1_000 }, (_, at) => ({ name: `mcp__a__t${at}`, server: 'a', tool: `t${at}` }));

test('which of a thousand tools are shown is found out in slices, once', async () => {
  const scene = openOffers();
  await scene.offers.judge(scene.slice());
  expect(scene.looked()).toBe(1_000);
  expect(scene.pauses()).toBeGreaterThan(10);
  expect(scene.offers.count()).toBe(1_000);
  await scene.offers.judge(scene.slice());
  expect(scene.looked()).toBe(1_000);
});

test('a rule that changes between two slices counts for all tools', async () => {
  const scene = openOffers();
  await scene.offers.judge(scene.slice(() => scene.deny('mcp__a__t3')));
  expect(scene.offers.count()).toBe(999);
  expect(scene.looked()).toBe(2_000);
});

test('names that were judged in slices are reserved by the first turn, not before', async () => {
  const scene = openOffers();
  await scene.offers.judge(scene.slice());
  expect(scene.held()).toBe(0);
  scene.offers.count();
  expect(scene.held()).toBe(1_000);
});

/** Offers of one server; `slice` pauses after each piece, and then calls `change`. */
function openOffers(): {
  readonly offers: ServerOffers;
  readonly slice: (change?: () => void) => TimeSlice;
  readonly deny: (name: string) => void;
  readonly looked: () => number;
  readonly pauses: () => number;
  readonly held: () => number;
} {
  let [looked, pauses, held, rules] = [0, 0, 0, {}];
  const denied = new Set<string>();
  const options = {
    servers: { onTools: () => {} },
    openServers: () => [],
    names: { tools: TOOLS, hold: (tools: readonly unknown[]) => (held += tools.length) },
    isShown: ({ name }: { readonly name: string }) => {
      looked++;
      return !denied.has(name);
    },
    keysOf: () => [rules],
  } as unknown as ServerOffersOptions;
  const pause = (change?: () => void): Promise<void> => {
    pauses++;
    change?.();
    return Promise.resolve();
  };
  return {
    offers: new ServerOffers(options),
    slice: (change) => ({ pause: () => pause(change) }) as unknown as TimeSlice,
    deny: (name) => {
      if (denied.has(name)) return;
      denied.add(name);
      rules = {};
    },
    looked: () => looked,
    pauses: () => pauses,
    held: () => held,
  };
}
