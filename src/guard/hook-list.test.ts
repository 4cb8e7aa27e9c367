import { expect, test } from 'vitest';
import { type HookMatcher, parseHookMatcher } from '../model/hooks/hook-matcher.js';
import { HookList } from './hook-list.js';

test('two built-in tools that lead to one name have each its own hooks', () => {
  const matcher = parseHookMatcher('Skill') as Extract<HookMatcher, { kind: 'readable' }>;
  const hook = { label: 'skill', failOpen: false, ask: () => undefined };
  const list = new HookList([{ matcher, hook }]);
  const subject = { name: 'mcp__notes__resources', server: 'notes', tool: 'resources' };
  expect(list.for({ ...subject, alias: 'ReadMcpResource' })).toEqual([]);
  expect(list.for({ ...subject, alias: 'Skill' })).toEqual([hook]);
  expect(list.for({ ...subject, alias: 'ReadMcpResource' })).toEqual([]);
});
