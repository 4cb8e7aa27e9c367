import { expect, test } from 'vitest';
import type { ServerDefinition } from './server-definition.js';
import { readStatedHints, statedLine } from './stated-hints.js';

/** What the definition of a tool makes a person read; `hints` are the defaults of the specification. */
async function check(definition: ServerDefinition | 'ours' | undefined, line: string): Promise<void> {
  const tool =
    definition === 'ours' ? { isOurs: true } : { isOurs: false, serverDefinition: () => Promise.resolve(definition) };
  const hints = { readOnly: false, destructive: true, idempotent: false, openWorld: true };
  expect(statedLine({ hints, stated: await readStatedHints(tool) })).toBe(line);
}

const DEFAULTS = { readOnlyHint: false, idempotentHint: false, openWorldHint: true };
const NOTHING = 'nothing (read-only, destructive, outside access: not stated)';

test.each([
  [undefined, NOTHING],
  [{}, NOTHING],
  [{ title: 'Delete', readOnlyHint: 'yes', destructiveHint: 1, openWorldHint: null }, NOTHING],
  [{ readOnlyHint: true }, 'only reads (outside access: not stated)'],
  [
    { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    'only reads, does not reach outside',
  ],
  [{ readOnlyHint: true, destructiveHint: true }, 'only reads, may destroy data (outside access: not stated)'],
  [{ readOnlyHint: false }, 'changes data (destructive, outside access: not stated)'],
  [{ openWorldHint: false }, 'does not reach outside (read-only, destructive: not stated)'],
  [{ destructiveHint: false }, 'destroys nothing (outside access: not stated)'],
  [
    { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    'changes data, destroys nothing, may be repeated without further effect (outside access: not stated)',
  ],
  [{ destructiveHint: true, openWorldHint: true }, 'may destroy data, reaches outside'],
  [{ idempotentHint: false }, NOTHING],
  [
    { idempotentHint: true },
    'may be repeated without further effect (read-only, destructive, outside access: not stated)',
  ],
])('annotations %j are told as stated by the server: %s', async (annotations, text) => {
  await check({ item: { name: 'x', annotations }, isComplete: true }, `Stated by the server: ${text}`);
});

const kept = (annotations: object): ServerDefinition => ({ item: { name: 'x', annotations }, isComplete: false });

test('of a definition that was too large to keep, a default that was filled in is not told as stated', async () => {
  await check(kept(DEFAULTS), `Stated by the server: ${NOTHING}`);
  await check(
    kept({ ...DEFAULTS, destructiveHint: true }),
    'Stated by the server: may destroy data (outside access: not stated)',
  );
  const stated = { ...DEFAULTS, readOnlyHint: true, openWorldHint: false };
  await check(kept(stated), 'Stated by the server: only reads, does not reach outside');
});

test('where a server no longer lists the tool, nothing is told as stated', () =>
  check(undefined, `Stated by the server: ${NOTHING}`));

test('of a tool that Plugboard brings, its own hints are told as its own', () =>
  check('ours', 'Stated by Plugboard: may destroy data, reaches outside'));
