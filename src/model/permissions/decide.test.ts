import { describe, expect, test } from 'vitest';
import { assignNames } from '../view/names.js';
import { decide, isToolVisible, isVisible } from './decide.js';
import { type Change, type Given, settingsOf, subjectWith } from './subject-fixtures.js';
import { type PermissionMode, permissionModes, toPermissions } from './settings.js';
import { type PermissionSubject, sharedNames } from './subject.js';
import { unmatchedRules } from './unmatched.js';

const reading: Change = { hints: { readOnly: true } };
const destroying: Change = { marks: { saysDestructive: true } };
const builtIn = (name: string, more: Change = {}): PermissionSubject => ({
  ...subjectWith({ author: 'built-in', tool: name, hints: { readOnly: true }, ...more }),
  name,
  server: undefined,
});

function check(given: Given, change: Change | PermissionSubject, expected: string): void {
  const subject =
    'name' in change && change.hints && 'openWorld' in change.hints
      ? (change as PermissionSubject)
      : subjectWith(change);
  const { behavior, by } = decide(subject, settingsOf(given), given.memory);
  expect(`${behavior} ${by.kind}`).toBe(expected);
}

describe('a rule means', () => {
  test.each<[rule: string, server: string, tool: string, isMeant: boolean]>([
    ['mcp__*', 'a', 'b', true],
    ['mcp__a', 'a', 'b', true],
    ['mcp__a', 'ab', 'c', false],
    ['mcp__a', 'a__b', 'c', false],
    ['mcp__A', 'a', 'b', false],
    ['mcp__a__*', 'a', 'b', true],
    ['mcp__a__*', 'a', '*', true],
    ['mcp__a__b', 'a', '*', false],
    ['mcp__a__get_*', 'a', 'get_x', true],
    ['mcp__a__get_*', 'a', 'set_get_', false],
    ['mcp__a__*_x', 'a', 'get_x', true],
    ['mcp__a__b', 'a', 'b', true],
    ['mcp__a__b', 'a', 'B', false],
    ['mcp__a__b', 'a', 'bc', false],
    ['mcp__my server__read', 'my server', 'read', true],
    ['mcp__my_server__read', 'my server', 'read', true],
    ['mcp__my server', 'my server', 'read', true],
    ['mcp__my server__*', 'my server', 'a b', true],
    ['mcp__my_server__a_b', 'my server', 'a b', true],
    ['mcp__x__y__z', 'x', 'y__z', true],
    ['mcp__x__y__z', 'x__y', 'z', true],
    ['mcp__git*', 'github', 'b', true],
    ['mcp__*__delete_*', 'a', 'delete_all', true],
    ['mcp__*__delete_*', 'a', 'undelete', false],
    ['mcp____proto__', '__proto__', 'x', true],
    ['mcp____proto____x', '__proto__', 'x', true],
    ['mcp__a___', 'a', '*', true],
    ['mcp__constructor', 'constructor', 'toString', true],
    ['Read', 'a', 'Read', false],
    ['R*', 'a', 'Read', false],
  ])('%s: server %j tool %j is %s', (rule, server, tool, isMeant) => {
    const name = [...assignNames([{ server, tool }]).entries()][0]![0];
    check({ deny: [rule] }, { server, tool, name }, isMeant ? 'deny rule' : 'ask mode');
    check({ allow: [rule] }, { server, tool, name }, isMeant ? 'allow rule' : 'ask mode');
  });
});

describe('what permits is read narrowly, what stops widely', () => {
  const twins = [
    { server: 'x', tool: 'y__z' },
    { server: 'x__y', tool: 'z' },
  ];
  const names = assignNames(twins);
  const twin = (index: 0 | 1): Change => {
    const { server, tool } = twins[index]!;
    return { server, tool, name: names.nameOf(server, tool)! };
  };

  test('of two tools that could be meant only the one that has the name is allowed, and both are denied', () => {
    check({ allow: ['mcp__x__y__z'] }, twin(1), 'allow rule');
    check({ allow: ['mcp__x__y__z'] }, twin(0), 'ask mode');
    check({ deny: ['mcp__x__y__z'] }, twin(0), 'deny rule');
    check({ deny: ['mcp__x__y__z'] }, twin(1), 'deny rule');
  });

  test('a rule for all of server x allows nothing of server x__y', () => {
    check({ allow: ['mcp__x__*'] }, twin(0), 'allow rule');
    check({ allow: ['mcp__x__*'] }, twin(1), 'ask mode');
  });

  test('a repository cannot name its server so that a rule for a tool of another one covers it', () => {
    const evil = { server: 'github__search', tool: 'rm' };
    check({ allow: ['mcp__github__search'] }, { ...evil, author: 'repository' }, 'ask mode');
    check({ allow: ['mcp__github__search*'] }, { ...evil, author: 'repository' }, 'ask mode');
    check({ allow: ['mcp__github__search__*'] }, { ...evil, author: 'repository' }, 'ask mode');
    check({ allow: ['mcp__github__search__rm'] }, { ...evil, author: 'repository' }, 'allow rule');
    check({ allow: ['mcp__github__search'] }, { ...evil, author: 'user' }, 'allow rule');
    check({ allow: ['mcp__*'] }, { ...evil, author: 'repository' }, 'allow rule');
    check({ deny: ['mcp__github__search'] }, { ...evil, author: 'repository' }, 'deny rule');
  });

  test('servers that cannot be told apart in a name are allowed by the name that is their own', () => {
    const servers = ['a b', 'a.b', 'a_b', 'other'];
    const shared = sharedNames(servers);
    expect([...shared].toSorted()).toEqual(['a b', 'a.b', 'a_b']);
    const table = assignNames(servers.map((server) => ({ server, tool: 'read' })));
    const of = (server: string): Change => {
      return { server, tool: 'read', name: table.nameOf(server, 'read')!, sharesName: shared.has(server) };
    };
    for (const rule of ['mcp__a_b', 'mcp__a_b__*', 'mcp__a_b__read']) {
      check({ allow: [rule] }, of('a_b'), 'allow rule');
      check({ allow: [rule] }, of('a b'), 'ask mode');
      check({ deny: [rule] }, of('a b'), 'deny rule');
      check({ deny: [rule] }, of('a.b'), 'deny rule');
    }
    check({ allow: ['mcp__a b'] }, of('a b'), 'allow rule');
    check({ allow: ['mcp__a b__read'] }, of('a b'), 'allow rule');
    check({ allow: ['mcp__a b'] }, of('a.b'), 'ask mode');
    check({ allow: [table.nameOf('a.b', 'read')!] }, of('a.b'), 'allow rule');
  });

  test('an embedder’s tool without a prefix goes by both of its names', () => {
    const bare: Change = { server: 'desk', tool: 'open', name: 'open' };
    for (const rule of ['open', 'op*', 'mcp__desk', 'mcp__desk__open', 'mcp__desk__*']) {
      check({ allow: [rule] }, bare, 'allow rule');
      check({ deny: [rule] }, bare, 'deny rule');
    }
  });
});

describe('modes', () => {
  test.each<[mode: PermissionMode, what: string, change: Change, expected: string]>([
    ['default', 'anything', {}, 'ask mode'],
    ['default', 'a tool that reads', reading, 'ask mode'],
    ['default', 'a tool of a trusted server', { isTrusted: true }, 'allow trust'],
    ['default', 'a trusted tool that destroys', { isTrusted: true, ...destroying }, 'ask hint'],
    ['default', 'what a repository calls trusted', { isTrusted: true, author: 'repository' }, 'ask mode'],
    ['default', 'what a catalogue calls trusted', { isTrusted: true, author: 'remote' }, 'ask mode'],
    ['default', 'what the user typed', { isTyped: true }, 'allow typed'],
    ['default', 'typed, and it destroys', { isTyped: true, ...destroying }, 'allow typed'],
    ['default', 'typed, and needs the user', { isTyped: true, marks: { needsUser: true } }, 'allow typed'],
    ['default', 'what a hook allowed', { isAllowedByHook: true }, 'allow hook'],
    ['default', 'what a hook allowed, and it destroys', { isAllowedByHook: true, ...destroying }, 'ask hint'],
    ['default', 'what a hook wants asked about', { isAskedByHook: true, isTrusted: true }, 'ask hook'],
    ['bypass', 'what a hook wants asked about', { isAskedByHook: true }, 'ask hook'],
    ['dont-ask', 'what a hook wants asked about', { isAskedByHook: true, isTrusted: true }, 'deny mode'],
    ['auto-read', 'a tool that reads', reading, 'allow hint'],
    ['auto-read', 'an administrator’s tool that reads', { ...reading, author: 'administrator' }, 'allow hint'],
    ['auto-read', 'a repository’s tool that says it reads', { ...reading, author: 'repository' }, 'ask mode'],
    ['auto-read', 'a catalogue’s tool that says it reads', { ...reading, author: 'remote' }, 'ask mode'],
    ['auto-read', 'a tool that writes', {}, 'ask mode'],
    ['auto-read', 'says both', { hints: { readOnly: true }, ...destroying }, 'ask hint'],
    ['plan', 'a tool that reads', reading, 'ask mode'],
    ['plan', 'a tool that writes', {}, 'deny mode'],
    ['plan', 'a trusted tool that writes', { isTrusted: true }, 'deny mode'],
    ['plan', 'typed', { isTyped: true }, 'allow typed'],
    ['plan', 'says both', { hints: { readOnly: true }, ...destroying }, 'deny mode'],
    ['dont-ask', 'anything', {}, 'deny mode'],
    ['dont-ask', 'a tool that reads', reading, 'deny mode'],
    ['dont-ask', 'a trusted tool', { isTrusted: true }, 'allow trust'],
    ['dont-ask', 'a tool that destroys', destroying, 'deny mode'],
    ['dont-ask', 'needs the user', { marks: { needsUser: true } }, 'deny mode'],
    ['bypass', 'anything', {}, 'allow mode'],
    ['bypass', 'a tool that destroys', destroying, 'ask hint'],
    ['bypass', 'needs the user', { marks: { needsUser: true } }, 'ask needs-user'],
  ])('%s: %s', (mode, _, change, expected) => check({ mode }, change, expected));

  test('a tool that says it destroys asks in every mode that does not deny it, unless the user named it', () => {
    for (const mode of permissionModes) {
      const wide = { mode, allow: ['mcp__s', 'mcp__s__*', 'mcp__*'] };
      check(wide, destroying, mode === 'plan' ? 'deny mode' : 'ask hint');
      check({ mode, allow: ['mcp__s__t'] }, destroying, mode === 'plan' ? 'deny mode' : 'allow rule');
    }
  });

  test('nothing answers for a tool whose server wants every call confirmed', () => {
    const change: Change = { marks: { needsUser: true }, isTrusted: true, isAllowedByHook: true };
    for (const mode of ['default', 'auto-read', 'dont-ask', 'bypass'] as const) {
      check({ mode, allow: ['mcp__s__t'], memory: { isAnswered: true } }, change, 'ask needs-user');
    }
  });

  test('a server’s own mode goes before the one for all, and a stronger source before both', () => {
    check({ mode: 'bypass', servers: { s: 'dont-ask' } }, {}, 'deny mode');
    check({ mode: 'dont-ask', servers: { s: 'bypass' } }, {}, 'allow mode');
    check({ mode: 'dont-ask', servers: { other: 'bypass' } }, {}, 'deny mode');
    const modes = [
      { mode: 'bypass', server: 's', source: 'user', file: 'u' },
      { mode: 'plan', source: 'flag', file: '--permission-mode' },
    ] as const;
    expect(decide(subjectWith(), toPermissions({ rules: [], modes, doubts: [] }))).toMatchObject({
      behavior: 'deny',
      by: { kind: 'mode', mode: 'plan', file: '--permission-mode' },
    });
  });

  test('built-in tools that read are allowed unless a rule says otherwise', () => {
    for (const name of ['Read', 'ListMcpResources', 'ReadMcpResource', 'ToolSearch']) {
      for (const mode of permissionModes) check({ mode }, builtIn(name), 'allow built-in');
      check({ deny: [name] }, builtIn(name), 'deny rule');
      check({ ask: [name] }, builtIn(name), 'ask rule');
      check({ deny: ['mcp__*'] }, builtIn(name), 'allow built-in');
    }
    check({}, builtIn('Call', { hints: { readOnly: false } }), 'ask mode');
  });

  test('reading a resource follows the rules against its server', () => {
    const read = builtIn('ReadMcpResource', { alsoServer: 'my server' });
    for (const rule of ['mcp__my server', 'mcp__my_server', 'mcp__my_server__*', 'mcp__*', 'mcp__my*']) {
      check({ deny: [rule] }, read, 'deny rule');
      check({ ask: [rule] }, read, 'ask rule');
    }
    for (const rule of ['mcp__my', 'mcp__my_server__read', 'mcp__other'])
      check({ deny: [rule] }, read, 'allow built-in');
  });
});

describe('what this session knows', () => {
  test('an answer holds, also for a tool that destroys, until a rule asks', () => {
    const memory = { isAnswered: true };
    check({ memory }, {}, 'allow session');
    check({ memory }, destroying, 'allow session');
    check({ memory, ask: ['mcp__s'] }, {}, 'ask rule');
    check({ memory, deny: ['mcp__s'] }, {}, 'deny rule');
  });

  test('a definition that changed asks again, whatever allowed it, but for what was typed and for bypass', () => {
    const memory = { isChanged: true };
    check({ memory, allow: ['mcp__s__t'] }, {}, 'ask definition');
    check({ memory }, { isTrusted: true }, 'ask definition');
    check({ memory: { isChanged: true, isAnswered: true } }, {}, 'ask definition');
    check({ memory }, { isTyped: true }, 'allow typed');
    check({ memory, mode: 'bypass' }, {}, 'allow mode');
  });
});

test('what cannot be understood and was to stop something lets nothing run unasked', () => {
  for (const behavior of ['ask', 'deny'] as const) {
    const doubts = [{ behavior, reason: 'f: deny is no array', file: 'f' }];
    const rules = [{ text: 'mcp__s__t', list: 'allow', source: 'user', file: 'f' }] as const;
    const settings = toPermissions({ rules, modes: [{ mode: 'bypass', source: 'user', file: 'f' }], doubts });
    for (const subject of [subjectWith({ isTrusted: true }), builtIn('Read')]) {
      expect(decide(subject, settings)).toMatchObject({ behavior, by: { kind: 'doubt', file: 'f' } });
    }
    expect(decide(subjectWith({ isTyped: true }), settings).behavior).toBe(behavior === 'deny' ? 'deny' : 'allow');
  }
});

describe('a skill', () => {
  const names = { server: 's', tool: 'resources', name: 'mcp__s__resources', act: 'resources' } as const;
  const skill = ['Skill', 'Skill(pdf)', 'Skill(s:pdf)'];
  const read = { ...names, skill, ownSkill: skill, alias: 'Skill' };
  const around = { ...read, alias: 'ReadMcpResource' };

  test.each(['Skill', 'Skill(pdf)', 'Skill(s:pdf)', 'Skill(s:*)', 'Skill(*)', 'Sk*', 'mcp__s', 'mcp__s__resources'])(
    'is denied by %s, whatever tool reads its files',
    (rule) => {
      for (const way of [read, around]) check({ deny: [rule] }, way, 'deny rule');
      for (const way of [read, around]) check({ ask: [rule], mode: 'bypass' }, way, 'ask rule');
    },
  );

  test.each([
    ['Skill', 'allow rule', 'ask mode'],
    ['Skill(pdf)', 'allow rule', 'ask mode'],
    ['Skill(s:p*)', 'allow rule', 'ask mode'],
    ['ReadMcpResource', 'ask mode', 'allow rule'],
    ['mcp__s__resources', 'allow rule', 'allow rule'],
  ])('is allowed by %s for its own tool: %s, for another: %s', (rule, own, other) => {
    check({ allow: [rule] }, read, own);
    check({ allow: [rule] }, around, other);
  });

  test.each(['Skill(pd)', 'Skill(t:pdf)', 'Skill(t:*)', 'Skill(PDF)'])('is not meant by %s', (rule) => {
    check({ deny: [rule] }, read, 'ask mode');
    check({ allow: [rule] }, read, 'ask mode');
  });
});

test('a skill is allowed only by what can mean no other, and denied by all that can mean it', () => {
  const names = {
    server: 's',
    tool: 'resources',
    name: 'mcp__s__resources',
    act: 'resources',
    alias: 'Skill',
  } as const;
  const skill = ['Skill', 'Skill(t:pdf)', 'Skill(s:t:pdf)'];
  const read = { ...names, skill, ownSkill: ['Skill', 'Skill(s:t:pdf)'] };
  for (const rule of ['Skill(t:pdf)', 'Skill(t:*)']) {
    check({ allow: [rule] }, read, 'ask mode');
    check({ deny: [rule] }, read, 'deny rule');
  }
  check({ allow: ['Skill(s:t:pdf)'] }, read, 'allow rule');
  check({ allow: ['Skill(s:*)'] }, { ...names, skill }, 'ask mode');
});

test('a model hears of everything but what a rule denies', () => {
  const given: readonly Given[] = [{ deny: ['mcp__s'] }, ...permissionModes.map((mode) => ({ mode }))];
  const kept = given.map((one) => isVisible(decide(subjectWith(), settingsOf(one))));
  expect(kept).toEqual([false, ...permissionModes.map(() => true)]);
  expect(given.map((one) => isToolVisible(subjectWith(), settingsOf(one)))).toEqual(kept);
});

test('a rule that means nothing that is known is told, with what may have been meant', () => {
  const settings = settingsOf({
    deny: ['mcp__githib', 'mcp__github', 'mcp__*'],
    allow: [
      'mcp__github__get_isue',
      'mcp__github__get_issue',
      'mcp__later__x',
      'Raed',
      'Read',
      'mcp__gone',
      'Skill(x)',
    ],
  });
  const tools = [subjectWith({ server: 'github', tool: 'get_issue' }), builtIn('Read')];
  const unmatched = unmatchedRules(settings, { tools, unasked: ['later'] });
  expect(unmatched.map(({ rule, meant }) => [rule.text, meant])).toEqual([
    ['mcp__githib', 'mcp__github'],
    ['mcp__github__get_isue', 'mcp__github__get_issue'],
    ['Raed', 'Read'],
    ['mcp__gone', undefined],
  ]);
});
