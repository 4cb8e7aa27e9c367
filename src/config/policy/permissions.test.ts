import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type House, openHouse } from '../../../test/house.js';
import { decide } from '../../model/permissions/decide.js';
import type { PermissionSubject } from '../../model/permissions/subject.js';
import type { HostConfig } from '../load.js';
import { localFile } from '../scopes/local.js';
import { userFile } from '../scopes/user.js';

type Place = 'managed' | 'user' | 'local' | 'project';

function fileOf(house: House, place: Place): string {
  if (place === 'managed') return join(house.managed, 'managed-settings.json');
  if (place === 'project') return join(house.project, '.plugboard/settings.json');
  return (place === 'user' ? userFile(house.context()) : localFile(house.context()))!;
}

const isNested = (place: Place): boolean => place === 'user' || place === 'local';

function writeSettings(house: House, place: Place, settings: object): string {
  return house.write(fileOf(house, place), isNested(place) ? { settings } : settings);
}

const subject = (server: string, tool = 't'): PermissionSubject => ({
  name: `mcp__${server}__${tool}`,
  server,
  tool,
  author: 'user',
  isTrusted: false,
  isTyped: false,
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  marks: { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false },
});

const answer = ({ permissions }: HostConfig, server: string): string => {
  const { behavior, by } = decide(subject(server), permissions);
  return `${behavior} ${by.kind}`;
};

describe('rules are read from every file, with the place where each is written', () => {
  test('of the administrator, the user, this project and the repository', async () => {
    using house = openHouse();
    for (const place of ['managed', 'user', 'local', 'project'] as const) {
      writeSettings(house, place, { permissions: { deny: [`mcp__${place}`], ask: ['mcp__x'] } });
    }
    const loaded = await house.load({ isCommandLine: true, permissions: { deny: ['mcp__flag'] } });
    expect(loaded.problems).toEqual([]);
    for (const place of ['managed', 'user', 'local', 'project', 'flag'])
      expect(answer(loaded, place)).toBe('deny rule');
    expect(answer(loaded, 'x')).toBe('ask rule');
    expect(answer(loaded, 'other')).toBe('ask mode');
    expect(loaded.permissions.rules.map(({ text, source, file, line }) => [text, source, file, line])).toEqual(
      expect.arrayContaining([
        ['mcp__managed', 'administrator', fileOf(house, 'managed'), 4],
        ['mcp__user', 'user', fileOf(house, 'user'), 5],
        ['mcp__project', 'project', fileOf(house, 'project'), 4],
        ['mcp__flag', 'flag', '--deny', undefined],
      ]),
    );
  });

  test('with comments, trailing commas and several on a line', async () => {
    using house = openHouse();
    const text = `{
  // "deny": ["mcp__no"],
  "settings": { /* a remark
    of two lines */ "permissions": {
      "deny": ["mcp__a", "mcp__b",
        "mcp__c", // "mcp__no"
      ],
    },
  },
}`;
    house.write(fileOf(house, 'user'), text);
    const { permissions, problems } = await house.load();
    expect(problems).toEqual([]);
    expect(permissions.rules.map((rule) => [rule.text, rule.line])).toEqual([
      ['mcp__a', 5],
      ['mcp__b', 5],
      ['mcp__c', 6],
    ]);
  });

  test('of parents of the working directory, unless they are anyone’s', async () => {
    using house = openHouse();
    const deep = join(house.project, 'a/b');
    mkdirSync(deep, { recursive: true });
    writeSettings(house, 'project', { permissions: { deny: ['mcp__near'] } });
    house.write(join(house.root, 'work/.plugboard/settings.json'), { permissions: { deny: ['mcp__far'] } });
    expect((await house.load({ cwd: deep })).permissions.rules.map(({ text }) => text)).toEqual([
      'mcp__near',
      'mcp__far',
    ]);
    chmodSync(join(house.root, 'work/.plugboard'), 0o1777);
    expect((await house.load({ cwd: deep })).permissions.rules.map(({ text }) => text)).toEqual(['mcp__near']);
  });

  test('and nothing is read where nothing is written', async () => {
    using house = openHouse();
    house.write(fileOf(house, 'user'), { mcpServers: { a: { command: 'a' } }, settings: { model: 'x' } });
    const { permissions, hooks, settings, problems } = await house.load();
    expect({ rules: permissions.rules, modes: permissions.modes, hooks, problems }).toEqual({
      rules: [],
      modes: [],
      hooks: [],
      problems: [],
    });
    expect(settings.toolSearch).toBe('auto');
  });
});

describe('a repository', () => {
  test('can tighten, and nothing else', async () => {
    using house = openHouse();
    writeSettings(house, 'user', { permissions: { allow: ['mcp__a', 'mcp__b'] } });
    writeSettings(house, 'project', {
      permissions: {
        mode: 'bypass',
        allow: ['mcp__c'],
        ask: ['mcp__a'],
        deny: ['mcp__b'],
        servers: { d: { mode: 'bypass' } },
      },
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'evil' }] }] },
      toolSearch: 'never',
      toolBytes: 20_000,
    });
    const loaded = await house.load();
    expect(['a', 'b', 'c', 'd'].map((server) => answer(loaded, server))).toEqual([
      'ask rule',
      'deny rule',
      'ask mode',
      'ask mode',
    ]);
    expect({ hooks: loaded.hooks, toolSearch: loaded.settings.toolSearch }).toEqual({ hooks: [], toolSearch: 'auto' });
    expect(loaded.settings.toolBytes).toBe(1_000_000);
    expect(loaded.problems.map(({ severity, code, field, line }) => [severity, code, field, line])).toEqual([
      ['warning', 'ignored-field', 'permissions.allow', 4],
      ['warning', 'ignored-field', 'permissions.mode', 3],
      ['warning', 'ignored-field', 'permissions.servers', 13],
      ['warning', 'ignored-field', 'hooks', 19],
      ['warning', 'ignored-field', 'toolSearch', 31],
      ['warning', 'ignored-field', 'toolBytes', 32],
    ]);
  });
});

describe('modes', () => {
  test('the administrator’s counts before a flag, that before this project’s, that before the user’s', async () => {
    using house = openHouse();
    const modeNow = async (flag?: 'plan'): Promise<string | undefined> => {
      const { permissions } = await house.load(flag ? { permissions: { mode: flag } } : {});
      return permissions.modes[0]?.mode;
    };
    expect(await modeNow()).toBe(undefined);
    writeSettings(house, 'user', { permissions: { mode: 'bypass', servers: { s: { mode: 'auto-read' } } } });
    expect(await modeNow()).toBe('auto-read');
    expect(answer(await house.load(), 'other')).toBe('allow mode');
    writeSettings(house, 'local', { permissions: { mode: 'default' } });
    expect(await modeNow()).toBe('default');
    expect(await modeNow('plan')).toBe('plan');
    writeSettings(house, 'managed', { permissions: { mode: 'dont-ask' } });
    expect(await modeNow('plan')).toBe('dont-ask');
  });
});

describe('what is wrong is told with file, line, field and a way out', () => {
  const RULE = { code: 'malformed', severity: 'error' };
  test.each<[what: string, permissions: unknown, expected: object]>([
    [
      'a rule with arguments',
      { deny: ['mcp__a', 'mcp__b(x)'] },
      { ...RULE, field: 'settings.permissions.deny[1]', line: 6 },
    ],
    ['a rule that is no text', { allow: [7] }, { ...RULE, field: 'settings.permissions.allow[0]', line: 5 }],
    ['a list that is none', { deny: 'mcp__a' }, { ...RULE, field: 'settings.permissions.deny', line: 4 }],
    ['no object', ['mcp__a'], { ...RULE, field: 'settings.permissions', line: 3 }],
    [
      'a mode nobody knows',
      { mode: 'plann' },
      { ...RULE, field: 'settings.permissions.mode', hint: 'Did you mean "plan"?' },
    ],
    ['a mode of another host', { defaultMode: 'plan' }, { severity: 'warning', hint: 'Did you mean "mode"?' }],
    ['another word for deny', { denied: ['mcp__a'] }, { ...RULE, field: 'settings.permissions.denied' }],
    ['a server without a mode', { servers: { s: {} } }, { ...RULE, field: 'settings.permissions.servers.s' }],
    ['servers that are none', { servers: [] }, { ...RULE, field: 'settings.permissions.servers' }],
  ])('%s', async (_, permissions, expected) => {
    using house = openHouse();
    const file = writeSettings(house, 'user', { permissions });
    const { problems } = await house.load();
    expect(problems).toMatchObject([{ file, hint: expect.stringMatching(/./u), ...expected }]);
  });

  test.each(['mcp__a(x)', '', 'a,b', '*'])('a flag that is no rule ends the run: %j', async (rule) => {
    using house = openHouse();
    const permissions = { allow: [rule] };
    const { problems } = await house.load({ isCommandLine: true, permissions });
    expect(problems).toMatchObject([{ code: 'bad-argument', file: '--allow' }]);
    const { problems: ofOptions } = await house.load({ permissions });
    expect(ofOptions).toMatchObject([{ code: 'bad-argument', file: 'permissions.allow' }]);
  });
});

describe('what was to stop calls and cannot be understood lets none of them run unasked', () => {
  const broken: readonly unknown[] = [
    { deny: ['mcp__a(x)'] },
    { ask: 'mcp__a' },
    { deny: null },
    ['mcp__a'],
    'mcp__a',
    null,
    { blocked: ['mcp__a'] },
  ];
  test.each(broken)('%j', async (permissions) => {
    using house = openHouse();
    writeSettings(house, 'local', { permissions: { allow: ['mcp__s__t'] } });
    expect(answer(await house.load(), 's')).toBe('allow rule');
    writeSettings(house, 'user', { permissions });
    expect(answer(await house.load(), 's')).toBe('ask doubt');
    writeSettings(house, 'managed', { permissions });
    const loaded = await house.load();
    expect(answer(loaded, 's')).toBe('deny doubt');
    expect(
      loaded.problems.some(({ file, severity }) => file === fileOf(house, 'managed') && severity === 'error'),
    ).toBe(true);
  });

  test('an administrator’s mode that is none, and a list that stands there twice, deny all', async () => {
    using house = openHouse();
    for (const text of [
      '{ "permissions": { "mode": "strict" } }',
      '{ "permissions": { "deny": ["mcp__a"], "deny": [] } }',
      '{ "permissions": { "deny": ["mcp__a"] }, "permissions": {} }',
      '{ "permissions": { "deny": ["mcp__a"',
      '{ "hooks": { "PreToolUse": {} } }',
    ]) {
      house.write(fileOf(house, 'managed'), text);
      expect(answer(await house.load(), 's')).toBe('deny doubt');
    }
  });

  test('a broken file of the user that has no rules in it changes nothing for the others', async () => {
    using house = openHouse();
    writeSettings(house, 'local', { permissions: { allow: ['mcp__s__t'] } });
    house.write(fileOf(house, 'user'), '{ "mcpServers": { ');
    expect(answer(await house.load(), 's')).toBe('allow rule');
    house.write(fileOf(house, 'user'), '{ "settings": { "permissions": { "deny": [');
    expect(answer(await house.load(), 's')).toBe('ask doubt');
  });

  test('an allow rule that is none only is no rule', async () => {
    using house = openHouse();
    writeSettings(house, 'managed', { permissions: { allow: ['x(y)', 'mcp__s'] } });
    expect(answer(await house.load(), 's')).toBe('allow rule');
  });
});

test('of another host’s managed settings only what it denies of servers’ tools is taken over', async () => {
  using house = openHouse();
  const foreign = join(house.root, 'foreign');
  house.write(join(foreign, 'managed-settings.json'), {
    permissions: {
      deny: ['Bash(rm:*)', 'Read(./.env)', 'WebFetch', 'mcp__evil'],
      ask: ['Bash(git push:*)'],
      allow: ['mcp__s', 'Bash(ls)'],
      defaultMode: 'acceptEdits',
      mode: 'bypass',
    },
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'x' }] }], Stop: 7 },
  });
  const loaded = await house.load({ managedDirectories: [house.managed, foreign] });
  expect(loaded.problems).toEqual([]);
  expect([answer(loaded, 'evil'), answer(loaded, 's')]).toEqual(['deny rule', 'ask mode']);
  expect(loaded.hooks).toEqual([]);
});

test('hooks are read with matcher, commands and place; an event nobody knows is told', async () => {
  using house = openHouse();
  const file = writeSettings(house, 'user', {
    hooks: {
      PreToolUse: [
        {
          matcher: 'mcp__*',
          hooks: [
            { type: 'command', command: 'check', timeout: 5 },
            { type: 'command', command: 'b', failOpen: true },
            { type: 'command', command: 'c', onFailure: 'continue' },
            { type: 'command', command: 'd', onFailure: 'block' },
          ],
        },
      ],
      SessionEnd: [
        {
          hooks: [
            { type: 'prompt', prompt: 'x' },
            { command: 'e', onFailure: 'open' },
          ],
        },
      ],
      Stop: [{ hooks: [{ command: 'f', onFailure: 'continue', failOpen: false }] }],
      Notification: [],
    },
    toolSearch: 'always',
  });
  const { hooks, problems, settings, permissions } = await house.load();
  expect(hooks).toEqual([
    {
      event: 'PreToolUse',
      matcher: 'mcp__*',
      commands: [
        { command: 'check', timeout: 5, failOpen: false },
        { command: 'b', timeout: undefined, failOpen: true },
        { command: 'c', timeout: undefined, failOpen: true },
        { command: 'd', timeout: undefined, failOpen: false },
      ],
      file,
      line: 5,
    },
  ]);
  expect(settings.toolSearch).toBe('always');
  expect(permissions.doubts).toEqual([]);
  expect(problems.map(({ severity, field }) => [severity, field])).toEqual([
    ['error', 'settings.hooks.SessionEnd[0].hooks[0]'],
    ['error', 'settings.hooks.SessionEnd[0].hooks[1]'],
    ['error', 'settings.hooks.Stop[0].hooks[0]'],
    ['warning', 'settings.hooks.Notification'],
  ]);
});

test('a hook about calls that cannot be run makes all of them be asked about, and so does a misspelt event', async () => {
  using house = openHouse();
  const broken = [{}, [7], [{ hooks: 'x' }], [{ hooks: [{ command: '' }] }], [{ matcher: 'x', command: 'y' }]];
  for (const event of ['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure']) {
    for (const list of broken) {
      writeSettings(house, 'user', { hooks: { [event]: list }, permissions: { mode: 'bypass' } });
      expect(answer(await house.load(), 's')).toBe('ask doubt');
    }
    writeSettings(house, 'user', { hooks: { [`${event}s`]: [] }, permissions: { mode: 'bypass' } });
    expect(answer(await house.load(), 's')).toBe('ask doubt');
  }
});

test('a hook about prompts or answers that cannot be run is kept as one that fails', async () => {
  using house = openHouse();
  const file = writeSettings(house, 'user', {
    hooks: {
      UserPromptSubmit: [{ command: 'y' }, { hooks: [{ command: 'check' }, { command: '' }] }],
      ElicitationResult: 7,
      UserPromptSubmits: [],
    },
  });
  const { hooks, permissions } = await house.load();
  expect(permissions.doubts).toEqual([]);
  expect(hooks).toMatchObject([
    { event: 'UserPromptSubmit', commands: [], fault: expect.stringContaining('expected an array'), file },
    { event: 'UserPromptSubmit', commands: [], fault: expect.stringContaining('has no command') },
    { event: 'UserPromptSubmit', commands: [{ command: 'check' }] },
    { event: 'ElicitationResult', commands: [], fault: expect.stringContaining('expected an array') },
    { event: 'UserPromptSubmit', commands: [], fault: expect.stringContaining('not a hook event') },
  ]);
});

test('events of other hosts that do not happen here stop nothing', async () => {
  using house = openHouse();
  const others = ['PostToolBatch', 'UserPromptExpansion', 'PermissionDenied', 'StopFailure', 'SubagentStop', 'Setup'];
  writeSettings(house, 'user', { hooks: Object.fromEntries(others.map((event) => [event, [{}]])) });
  const { hooks, permissions } = await house.load();
  expect({ hooks, doubts: permissions.doubts }).toEqual({ hooks: [], doubts: [] });
});

test('a list of thousands of wrong rules is told in a few lines', async () => {
  using house = openHouse();
  writeSettings(house, 'user', { permissions: { allow: Array.from({ length: 30_000 }, () => 'a,b') } });
  expect((await house.load()).problems.length).toBeLessThan(30);
});

test('managed settings that are a link to nothing deny everything', async () => {
  using house = openHouse();
  symlinkSync('/nonexistent/share.json', fileOf(house, 'managed'));
  expect(answer(await house.load(), 's')).toBe('deny doubt');
});

test.each([
  [250_000, 250_000, undefined],
  [9_999, 1_000_000, 'expected a whole number from 10000 to 32000000'],
  ['1 MB', 1_000_000, 'expected a whole number from 10000 to 32000000'],
])('what tools may take of a request is a number of bytes: %j', async (written, used, message) => {
  using house = openHouse();
  writeSettings(house, 'user', { toolBytes: written });
  const { settings, problems } = await house.load();
  expect(settings.toolBytes).toBe(used);
  expect(problems.map((problem) => problem.message)).toEqual(message === undefined ? [] : [message]);
});
