import { expect, test } from 'vitest';
import { idleRule } from './servers-rule.js';

const SERVED = {
  servers: ['files', 'every', 'my mem', 'a__b'],
  tools: [{ server: 'every', tool: 'echo' }],
};

test.each([
  'mcp__every',
  'mcp__every__echo',
  'mcp__every__not_listed_yet',
  'mcp__every__*',
  'mcp__ev*',
  'mcp__*',
  'mcp__*__get_*',
  'mcp__my_mem__read',
  'mcp__my mem',
  'mcp__a__b__c',
  'Read',
  'ToolSearch',
  'Skill(x)',
])('the rule %s may match a tool of a server, or is about a built-in tool', (text) => {
  expect(idleRule(text, SERVED)).toBeUndefined();
});

test.each([
  ['every', { why: 'form', meant: 'mcp__every' }],
  ['evry', { why: 'form', meant: 'mcp__every' }],
  ['every__echo', { why: 'form', meant: 'mcp__every__echo' }],
  ['files__read_*', { why: 'form', meant: 'mcp__files__read_*' }],
  ['echo', { why: 'form', meant: 'mcp__every__echo' }],
  ['Write', { why: 'form' }],
  ['*__echo', { why: 'form' }],
  ['mcp__filez', { why: 'server', meant: 'mcp__files' }],
  ['mcp__filez__read', { why: 'server', meant: 'mcp__files__read' }],
  ['mcp__github', { why: 'server' }],
  ['mcp__everyx__*', { why: 'server', meant: 'mcp__every__*' }],
])('the rule %s matches no tool of a server', (text, expected) => {
  expect(idleRule(text, SERVED)).toEqual(expected);
});

test('a rule that stops calls may begin with a star', () => {
  expect(idleRule('*__echo', SERVED, { stops: true })).toBeUndefined();
  expect(idleRule('every__*', SERVED, { stops: true })).toEqual({ why: 'form', meant: 'mcp__every__*' });
});
