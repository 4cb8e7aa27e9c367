import { expect, test } from 'vitest';
import { shownHints } from './shown-hints.js';

test.each([
  ['reads and leaves the rest open', { readOnly: true, destructive: true }, false, false],
  ['reads, and says that it destroys', { readOnly: true, destructive: true }, true, true],
  ['leaves everything open', { readOnly: false, destructive: true }, false, true],
  ['says that it does not destroy', { readOnly: false, destructive: false }, false, false],
])('of a tool that %s', (_, said, saysDestructive, destructive) => {
  const hints = { ...said, idempotent: false, openWorld: true };
  expect(shownHints(hints, { saysDestructive })).toEqual({ ...hints, destructive });
});
