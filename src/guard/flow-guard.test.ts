import { expect, test } from 'vitest';
import type { FlowSettings } from '../model/flow/flow-settings.js';
import { FlowGuard } from './flow-guard.js';

const PAGE = 'Gardeners meet at the old greenhouse behind the station every second Tuesday, and bring their own tea.';
const page = { source: { server: 'web', tool: 'fetch' }, isOutside: true, isForeign: false, texts: [PAGE] };
const mail = { server: 'mail', tool: 'send', isClosed: false, isForeign: false };

function open(settings: FlowSettings = {}, canAsk = true): { readonly guard: FlowGuard; readonly told: string[] } {
  const told: string[] = [];
  return { guard: new FlowGuard({ settings: () => settings, canAsk, onOff: (text) => void told.push(text) }), told };
}

const kindOf = (guard: FlowGuard, name: string): string | undefined =>
  guard.look(name, mail, { body: PAGE }, true)?.finding.kind;

test('conversations do not see what others have read', () => {
  const { guard } = open();
  guard.read('a', page);
  expect([kindOf(guard, 'a'), kindOf(guard, 'b')]).toEqual(['copy', undefined]);
  guard.end('a');
  expect(kindOf(guard, 'a')).toBe(undefined);
});

test('a conversation that made room for others is asked about everything when it comes back', () => {
  const { guard } = open();
  guard.follow('kept', {});
  guard.read('kept', page);
  guard.read('old', page);
  for (let at = 0; at < 10_000; at++)
    guard.read(`other ${at}`, { ...page, isOutside: false, isForeign: false, texts: ['x'] });
  expect(guard.look('old', mail, { body: 'anything' }, true)?.finding).toMatchObject({
    kind: 'fault',
    fault: 'what this conversation read earlier had to make room for others',
  });
  // One whose program says when it ends keeps what it has read.
  expect(kindOf(guard, 'kept')).toBe('copy');
});

test('what is read in a mode in which nobody can be asked marks the conversation, and nothing is kept', () => {
  const { guard, told } = open({}, false);
  expect(guard.isWatched('')).toBe(false);
  guard.miss('', page);
  expect(guard.look('', mail, { body: PAGE }, false)).toBe(undefined);
  expect(guard.look('', mail, { body: PAGE }, false)).toBe(undefined);
  expect(told).toHaveLength(1);
  // From now on its program asks its user itself.
  guard.expectQuestions('');
  expect(guard.isWatched('')).toBe(true);
});

test('faults are kept with the conversation', () => {
  const kept: object[] = [];
  const first = open().guard;
  first.follow('a', { onRecord: (record) => void kept.push(record) });
  first.read('a', page);
  first.fail('a', 'it failed');
  const { guard } = open();
  guard.follow('a', { restored: JSON.parse(JSON.stringify(kept)) as unknown[] });
  expect(kindOf(guard, 'a')).toBe('fault');
});

test('a result of another shape is read as far as its texts go; one beyond the bounds has all asked about', () => {
  const { guard } = open();
  guard.readValue(
    'a',
    { source: { tool: 'web_search' }, isOutside: true, isForeign: false },
    { list: [{ text: PAGE }] },
  );
  expect(kindOf(guard, 'a')).toBe('copy');
  let deep: unknown = PAGE;
  for (let at = 0; at < 1_000; at++) deep = [deep];
  guard.readValue('b', { source: { tool: 'web_search' }, isOutside: true, isForeign: false }, deep);
  expect(kindOf(guard, 'b')).toBe('fault');
});
