import { expect, test } from 'vitest';
import { NamesInUse } from './names-in-use.js';
import { assignNames } from './names.js';

const early = { server: 'a.b', tool: 'c' };
const late = { server: 'a_b', tool: 'c' };

test('a tool that a model knows keeps its name, and whoever has a better claim to it comes too late', () => {
  const held = new NamesInUse();
  for (const [name, { server, tool }] of assignNames([early]).entries()) held.hold(name, server, tool);
  const names = assignNames([late, early], { held });
  expect(names.nameOf('a.b', 'c')).toBe('mcp__a_b__c');
  expect(names.nameOf('a_b', 'c')).toMatch(/^mcp__a_b__c_[a-z2-9]{10}$/u);
  expect(names.nameOf('a_b', 'c')).toBe(assignNames([late], { held }).nameOf('a_b', 'c'));
});

test('a tool that had to take another name keeps that as well', () => {
  const held = new NamesInUse();
  const both = assignNames([early, late]);
  const second = both.nameOf('a.b', 'c')!;
  held.hold(second, 'a.b', 'c');
  expect(assignNames([early], { held }).nameOf('a.b', 'c')).toBe(second);
  expect([held.allows(second, 'a.b', 'c'), held.allows('mcp__a_b__c', 'a.b', 'c')]).toEqual([true, false]);
  expect([held.allows(second.toUpperCase(), 'x', 'c'), held.allows('mcp__a_b__c', 'a_b', 'c')]).toEqual([false, true]);
});

test('of more names than anybody reads the oldest are free again', () => {
  const held = new NamesInUse(4);
  for (const at of [1, 2, 3, 4, 5]) held.hold(`Name${at}`, at % 2 === 0 ? 'even' : 'odd', `t${at}`);
  expect([1, 2, 3, 4, 5].map((at) => held.has(`name${at}`))).toEqual([false, false, true, true, true]);
  expect(held.nameOf('odd', 't1')).toBeUndefined();
  expect(held.nameOf('odd', 't3')).toBe('Name3');
});
