import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignNames } from '../view/names.js';
import { decide } from './decide.js';
import { settingsOf, subjectWith } from './subject-fixtures.js';
import { readRule } from './rule.js';
import {
  permissionModes,
  type PermissionSource,
  permissionSources,
  type RuleList,
  ruleLists,
  toPermissions,
  type WrittenRule,
} from './settings.js';
import { type PermissionSubject, sharedNames, type ToolAuthor } from './subject.js';
import { cpuMs } from '../../../test/cpu-time.js';

const ruleTexts = ['mcp__*', 'mcp__s', 'mcp__s__*', 'mcp__s__t', 'mcp__s__t*', 'mcp__other', 'Read'];
const anyRule = fc.record<WrittenRule>({
  text: fc.constantFrom(...ruleTexts),
  list: fc.constantFrom<RuleList>(...ruleLists),
  source: fc.constantFrom<PermissionSource>(...permissionSources),
  file: fc.constant('f'),
});
const anySubject = fc.record({
  isTrusted: fc.boolean(),
  isTyped: fc.boolean(),
  isAllowedByHook: fc.boolean(),
  author: fc.constantFrom<ToolAuthor>('administrator', 'user', 'repository', 'remote'),
  readOnly: fc.boolean(),
  saysDestructive: fc.boolean(),
  needsUser: fc.boolean(),
});
const toSubject = ({
  readOnly,
  saysDestructive,
  needsUser,
  ...rest
}: typeof anySubject extends fc.Arbitrary<infer T> ? T : never): PermissionSubject =>
  subjectWith({ ...rest, hints: { readOnly }, marks: { saysDestructive, needsUser } });

test('deny wins over ask and ask over allow in every mix of scopes, orders and modes', () => {
  fc.assert(
    fc.property(
      fc.array(anyRule, { maxLength: 8 }),
      fc.constantFrom(...permissionModes),
      anySubject,
      (rules, mode, parts) => {
        const modes = [{ mode, source: 'user', file: 'f' }] as const;
        const meant = rules.filter(({ text }) => text.startsWith('mcp__s') || text === 'mcp__*');
        const { behavior, by } = decide(toSubject(parts), toPermissions({ rules, modes, doubts: [] }));
        const wins = (list: RuleList): boolean => meant.some((rule) => rule.list === list);
        expect(wins('deny') ? `${behavior} ${by.kind}` : 'deny rule').toBe('deny rule');
        expect(!wins('deny') && parts.isTyped ? behavior : 'allow').toBe('allow');
        expect(wins('ask') && !parts.isTyped ? behavior : 'ask').not.toBe('allow');
      },
    ),
    { numRuns: 600 },
  );
});

test('what a repository or a catalogue says of its tools never gets them more than saying nothing', () => {
  const rank = { deny: 0, ask: 1, allow: 2 };
  fc.assert(
    fc.property(
      fc.array(anyRule, { maxLength: 4 }),
      fc.constantFrom(...permissionModes.filter((mode) => mode !== 'plan')),
      anySubject,
      fc.constantFrom<ToolAuthor>('repository', 'remote'),
      (rules, mode, parts, author) => {
        const settings = toPermissions({ rules, modes: [{ mode, source: 'user', file: 'f' }], doubts: [] });
        const silent = {
          ...parts,
          author,
          readOnly: false,
          saysDestructive: false,
          needsUser: false,
          isTrusted: false,
        };
        const loud = { ...parts, author };
        expect(rank[decide(toSubject(loud), settings).behavior]).toBeLessThanOrEqual(
          rank[decide(toSubject(silent), settings).behavior],
        );
      },
    ),
    { numRuns: 600 },
  );
});

test('a tool that says it only reads is never run for a repository in any mode but where all are', () => {
  for (const mode of permissionModes.filter((word) => word !== 'bypass')) {
    const { behavior } = decide(subjectWith({ hints: { readOnly: true }, author: 'repository' }), settingsOf({ mode }));
    expect(behavior).not.toBe('allow');
  }
});

test('no name and no rule make it throw', () => {
  const word = fc.string({ unit: fc.constantFrom('_', '*', 'a', '.', '(', '\n', '\u{1f600}', ' '), maxLength: 12 });
  fc.assert(
    fc.property(word, word, word, fc.array(word, { maxLength: 4 }), (server, tool, name, texts) => {
      const given = { deny: texts, ask: texts.map((text) => `mcp__${text}`), allow: texts };
      const { behavior } = decide(subjectWith({ server, tool, name }), settingsOf(given));
      expect(['allow', 'ask', 'deny']).toContain(behavior);
    }),
  );
});

test('the name by which a model knows a tool is a rule that allows this tool and no other', () => {
  const word = fc.string({ unit: fc.constantFrom('_', '*', 'a', 'B', '.', ' '), minLength: 1, maxLength: 6 });
  const pairs = fc.uniqueArray(fc.record({ server: word, tool: word }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(pairs, (tools) => {
      const shared = sharedNames(tools.map(({ server }) => server));
      const named = [...assignNames(tools).entries()];
      for (const [rule] of named) {
        expect(readRule(rule)).toEqual({ kind: 'rule' });
        const allowed = named.filter(([name, { server, tool }]) => {
          const subject = subjectWith({ name, server, tool, author: 'repository', sharesName: shared.has(server) });
          return decide(subject, settingsOf({ allow: [rule] })).behavior === 'allow';
        });
        expect(allowed.map(([name]) => name)).toEqual([rule]);
      }
    }),
  );
});

test('forty stars on ten kilobytes take no time', () => {
  const settings = settingsOf({ deny: [`mcp__${'a*'.repeat(40)}b`], allow: [`mcp__${'a*'.repeat(40)}b`] });
  const subject = subjectWith({ server: 'a'.repeat(5_000), tool: 'a'.repeat(5_000) });
  expect(cpuMs(() => decide(subject, settings), 50)).toBeLessThan(1); // backtracking would never end
});
