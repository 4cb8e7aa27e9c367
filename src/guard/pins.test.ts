import { expect, test } from 'vitest';
import { systemClock } from '../edge/clock.js';
import { digest, digestMany } from '../edge/files/digest.js';
import type { InstalledPackage, LockedServer } from '../model/pins/lock.js';
import {
  type PinnablePrompt,
  toPin,
  toPinnedInstructions,
  toPinnedPrompt,
  toPinnedTool,
} from '../model/pins/pinned-text.js';
import type { ServerLock } from '../model/pins/server-lock.js';
import type { ToolDefinition } from '../model/tool.js';
import { type PinOffer, Pins } from './pins.js';

const makeTool = (name: string, description = `the tool ${name}`): ToolDefinition => ({
  name,
  title: undefined,
  description,
  inputSchema: { type: 'object' },
  outputSchema: undefined,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
  meta: { searchHint: undefined, maxResultChars: undefined },
});
const prompt: PinnablePrompt = { name: 'p', title: undefined, description: 'p', arguments: [] };

interface Offered extends PinOffer {
  /** Number of definitions that were read. */
  reads: number;
}

function offerOf(tools: readonly ToolDefinition[], instructions: string | undefined = 'Be kind'): Offered {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const offer: Offered = {
    reads: 0,
    instructions,
    tools: [...byName.values()],
    prompts: [prompt],
    async tool(name) {
      offer.reads++;
      return byName.get(name);
    },
    async prompt(name) {
      offer.reads++;
      return name === 'p' ? prompt : undefined;
    },
  };
  return offer;
}

function lockOf(tools: readonly ToolDefinition[], more: Partial<LockedServer> = {}, stamp = '1'): ServerLock {
  const pins: LockedServer = {
    entry: undefined,
    package: undefined,
    instructions: toPin(toPinnedInstructions('Be kind'), digest),
    tools: new Map(tools.map((tool) => [tool.name, toPin(toPinnedTool(tool), digestMany)])),
    prompts: new Map([['p', toPin(toPinnedPrompt(prompt), digest)]]),
    ...more,
  };
  return { kind: 'pinned', file: '/x/mcp.lock', pins, stamp, entry: undefined };
}

function open(lock: ServerLock | undefined): {
  readonly pins: Pins;
  readonly replace: (lock: ServerLock | undefined) => void;
} {
  let current = lock;
  const pins = new Pins({ locks: () => new Map(current ? [['s', current]] : []), clock: systemClock });
  return { pins, replace: (other) => void (current = other) };
}

const [read, write] = [makeTool('read'), makeTool('write')];

test('a server without a lock is not even asked for its definitions', async () => {
  const { pins } = open(undefined);
  const offer = offerOf([read]);
  expect(await pins.check('s', { offer, revision: 1 })).toMatchObject({ isPinned: false, aside: [], added: [] });
  expect([offer.reads, pins.isPinned('s'), pins.judgeTool('s', read)]).toEqual([0, false, undefined]);
  expect(pins.verdict('s')?.isPinned).toBe(false);
});

test('a tool that has changed is set aside, its neighbours are not, and a new one is announced', async () => {
  const { pins } = open(lockOf([read, write]));
  const changed = makeTool('write', 'also sends it away');
  const verdict = await pins.check('s', { offer: offerOf([read, changed, makeTool('new')]), revision: 1 });
  expect([...verdict.tools.keys()]).toEqual(['write']);
  expect(verdict).toMatchObject({ added: [{ kind: 'tool', name: 'new' }], instructions: undefined });
  expect(pins.verdict('s')).toBe(verdict);
  expect(pins.judgeTool('s', changed)).toMatch(/not the one that mcp\.lock pins/u);
  expect([read, write, makeTool('new')].map((tool) => pins.judgeTool('s', tool))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(pins.judgePrompt('s', prompt)).toBeUndefined();
  expect(pins.judgePrompt('s', { ...prompt, description: 'q' })).toMatch(/not the one/u);
});

test('instructions that have changed are withheld', async () => {
  const { pins } = open(lockOf([read]));
  const verdict = await pins.check('s', { offer: offerOf([read], 'Be cruel'), revision: 1 });
  expect([verdict.instructions, verdict.tools.size]).toEqual([expect.stringMatching(/not the one/u), 0]);
});

test('a list is looked at once, until it or the lock is another one', async () => {
  const { pins, replace } = open(lockOf([read]));
  const offer = offerOf([read]);
  const [one, other] = await Promise.all([1, 1].map((revision) => pins.check('s', { offer, revision })));
  expect([one === other, offer.reads]).toEqual([true, 2]);
  await pins.check('s', { offer, revision: 2 });
  expect(offer.reads).toBe(4);
  replace(lockOf([write], {}, '2'));
  // Not checked again yet: the verdict for the old lock does not count.
  expect(pins.verdict('s')).toBeUndefined();
  expect(await pins.check('s', { offer, revision: 2 })).toMatchObject({ missing: [{ kind: 'tool', name: 'write' }] });
  replace(undefined);
  expect(await pins.check('s', { offer, revision: 2 })).toMatchObject({ isPinned: false });
});

test('while a changed list is looked at there is no verdict, and a late one does not take its place', async () => {
  const { pins } = open(lockOf([read]));
  const first = pins.check('s', { offer: offerOf([makeTool('read', 'worse')]), revision: 1 });
  expect(pins.verdict('s')).toBeUndefined();
  const second = pins.check('s', { offer: offerOf([read]), revision: 2 });
  await Promise.all([first, second]);
  expect(pins.verdict('s')?.tools.size).toBe(0);
  expect((await first).tools.size).toBe(1);
});

test('a lock that cannot be read closes all of the server', async () => {
  const { pins } = open({ kind: 'broken', file: '/x/mcp.lock', reason: '/x/mcp.lock is not JSON', stamp: 'x' });
  const offer = offerOf([read, write]);
  const verdict = await pins.check('s', { offer, revision: 1 });
  expect([verdict.tools.size, verdict.prompts.size, verdict.instructions]).toEqual([2, 1, '/x/mcp.lock is not JSON']);
  expect(pins.judgeTool('s', makeTool('new'))).toBe('/x/mcp.lock is not JSON');
  expect(offer.reads).toBe(0);
});

test('what cannot be read of a server stays closed', async () => {
  const { pins } = open(lockOf([read]));
  const lost: PinOffer = { ...offerOf([read]), tool: async () => undefined };
  expect((await pins.check('s', { offer: lost, revision: 1 })).tools.get('read')).toMatch(/cannot be read/u);
  const failing: PinOffer = { ...lost, tool: () => Promise.reject(new Error('disk')) };
  expect((await pins.check('s', { offer: failing, revision: 2 })).tools.get('read')).toMatch(/could not be read/u);
});

const newer = (): InstalledPackage => ({ name: 'x', version: '2' });

test('another version of its package is told, and closes nothing', async () => {
  const { pins } = open(lockOf([read], { package: { name: 'x', version: '1' } }));
  expect(await pins.check('s', { offer: offerOf([read]), revision: 1, installed: newer })).toMatchObject({
    aside: [],
    told: [{ kind: 'package', name: 'x', reason: 'version 2 is installed, 1 was pinned' }],
  });
});

test('10,000 tools are looked at in turns, so that others have theirs', async () => {
  const tools = Array.from({ length: 10_000 }, (_, at) => makeTool(`t${at}`, `${at} `.repeat(300)));
  const { pins } = open(lockOf(tools));
  let turns = 0;
  let isOver = false;
  const count = (): void => void (isOver || (turns++, setImmediate(count)));
  setImmediate(count);
  const verdict = await pins.check('s', { offer: offerOf(tools), revision: 1 });
  isOver = true;
  expect(verdict.aside).toEqual([]);
  expect(turns).toBeGreaterThan(2);
});
