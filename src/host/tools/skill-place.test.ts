import { expect, test } from 'vitest';
import { mayBeInSkill } from './skill-place.js';

// A rule that denies a skill must hold for every spelling of its files' URIs that a server may accept.

const SECRET = 'skill://secret/SKILL.md';

test.each([
  'skill://secret/SKILL.md',
  'skill://secret/SKILL.md?',
  'skill://secret/SKILL.md#a',
  'skill://secret/SKILL.md?x=1',
  'skill://secret/x/../SKILL.md',
  'skill://secret/%2e/SKILL.md',
  'skill://secret/%53KILL.md',
  'skill://secret//SKILL.md',
  'skill://secret',
  'skill://SECRET/skill.md',
  'SKILL://secret/SKILL.md',
  'skill:///secret/SKILL.md',
  'skill:secret/SKILL.md',
  'skill:\\\\secret\\SKILL.md',
  '//secret/SKILL.md',
  'secret/SKILL.md',
  ' skill://secret/SKILL.md',
  '\u00a0skill://secret/SKILL.md\n',
  'sk\till://secret/SKILL.md',
  'skill%3a//secret/SKILL.md',
  'skill://secre%74/SKILL.md',
  'skill://secre%2574/SKILL.md',
  'skill://ｓｅｃｒｅｔ/SKILL.md',
])('%j is in the skill', (uri) => {
  expect(mayBeInSkill(uri)(SECRET)).toBe(true);
});

test.each([
  'skill://ok/../secret/SKILL.md',
  'skill://ok/../SKILL.md',
  'skill://ok/%2e%2e%2fsecret/SKILL.md',
  'skill://ok/SKILL.md?file=../secret/SKILL.md',
  'skill://ok/SKILL.md#/../../secret/SKILL.md',
  'skill://me@secret/SKILL.md',
  'skill://secret:80/SKILL.md',
  'skill://secret./SKILL.md',
  'skill://secret;x/SKILL.md',
  'skill://sec\u200bret/SKILL.md',
  'skill://%c0%ae/SKILL.md',
  'skill://ok/%u0053KILL.md',
  `skill://ok/${'%25'.repeat(1)}${'25'.repeat(20)}2e`,
])('%j may be in any skill', (uri) => {
  expect(mayBeInSkill(uri)(SECRET)).toBe(true);
});

test.each([
  'skill://ok/SKILL.md',
  'skill://ok/SKILL.md#a',
  'skill://ok/x/../y.md',
  'skill://ok/my%20form.md',
  'skill://secrets/SKILL.md',
  'skill://ok/secret/SKILL.md',
  'skill://secre',
  'docs://secret/SKILL.md',
  'docs://a/../b?c=d',
  'notes.txt',
])('%j is not in the skill', (uri) => {
  expect(mayBeInSkill(uri)(SECRET)).toBe(false);
});

test.each([
  ['skill://a%20b/SKILL.md', 'skill://a b/x.md'],
  ['https://x.org/skills/a/SKILL.md', 'HTTPS://X.org/skills/./a/form.md'],
  ['skill://a;b/SKILL.md', 'skill://a;b/SKILL.md'],
])('a skill at %j has %j', (skill, uri) => {
  expect(mayBeInSkill(uri)(skill)).toBe(true);
  expect(mayBeInSkill('skill://other/SKILL.md')(skill)).toBe(false);
});
