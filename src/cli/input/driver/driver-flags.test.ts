import { describe, expect, test } from 'vitest';
import { HostError } from '../../../base/errors.js';
import { verbs } from '../../verbs/all.js';
import { type Invocation, parseArguments } from '../arguments.js';
import { permissionFlags } from '../session-flags.js';
import { driverNotes, driverPlaces, refuseBarredFlags, withDriverFlags } from './driver-flags.js';
import { driverOptions } from './driver-options.js';
import { readSettingsFlag } from './settings-flag.js';
import { tuningFlags } from './tuning-flags.js';

const SDK = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];
const BYPASS = '--allow-dangerously-skip-permissions';

function parse(args: readonly string[]): Invocation {
  const parsed = parseArguments([...SDK, ...args], verbs);
  if (parsed.kind !== 'run') throw new Error('no run');
  return withDriverFlags(parsed.invocation);
}

function isTypedFlag(flag: string, args: readonly string[]): boolean {
  const typed = parseArguments(args, verbs);
  return typed.kind === 'run' && withDriverFlags(typed.invocation).has(flag);
}

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof HostError ? `${error.code}: ${error.message}` : String(error);
  }
  return '';
}

test('a program that sends lines wants no session, whatever it is started without', () => {
  expect(parse([]).has('print')).toBe(true);
  expect(parse(['--debug']).has('trace')).toBe(true);
  expect(parse(['--debug-file=/tmp/x']).value('record')).toBe('/tmp/x');
  expect(isTypedFlag('print', ['--debug'])).toBe(false);
  expect(isTypedFlag('trace', ['--debug'])).toBe(false);
  expect(isTypedFlag('trace', ['-p', 'x', '--debug'])).toBe(true);
});

describe('permissions', () => {
  const NONE = ['Read', 'ListMcpResources', 'ReadMcpResource', 'Skill', 'Agent'];
  test.each<[readonly string[], object | undefined]>([
    [[], undefined],
    [['--allowedTools=mcp__a,mcp__b__*'], { allow: ['mcp__a', 'mcp__b__*'] }],
    [['--allowedTools=Task,Skill,Skill(x),Read'], { allow: ['Agent', 'Skill', 'Skill(x)', 'Read'] }],
    [['--allowedTools=Bash(git log:*, x),Edit,__proto__'], undefined],
    [['--allowedTools='], undefined],
    [['--disallowedTools=mcp__a__t,Bash(rm *),WebFetch'], { deny: ['mcp__a__t'] }],
    [['--disallowedTools=Read(./secrets/**),mcp__a__t(x)'], { deny: ['Read', 'mcp__a__t'] }],
    [['--tools='], { deny: NONE }],
    [['--tools=Read,Bash'], { deny: NONE.filter((name) => name !== 'Read') }],
    [['--tools=default'], undefined],
    [['--permission-mode=plan'], { mode: 'plan' }],
    [['--permission-mode=dontAsk'], { mode: 'dont-ask' }],
    [['--permission-mode=acceptEdits'], undefined],
    [['--permission-mode=auto'], undefined],
    [['--permission-mode=bypassPermissions'], undefined],
    [['--permission-mode=bypassPermissions', BYPASS], { mode: 'bypass' }],
    [[BYPASS], undefined],
    [['--permission-mode=bypass'], undefined],
    [['--permission-mode=bypass', BYPASS], { mode: 'bypass' }],
  ])('%j', (args, expected) => {
    expect(permissionFlags(parse(args))).toEqual(expected);
  });

  test.each([
    [['--disallowedTools=mcp__'], 'usage: '],
    [['--disallowedTools=Bash(rm,mcp__a__t'], 'usage: '],
    [['--disallowedTools=*'], ''],
    [['--permission-mode=yolo'], 'usage: '],
    [['--permission-mode='], 'usage: '],
  ])('what would restrict is never ignored: %j', (args, expected) => {
    expect(messageOf(() => permissionFlags(parse(args))).startsWith(expected)).toBe(true);
  });

  test('a star denies every tool there is', () => {
    expect(permissionFlags(parse(['--disallowedTools=*']))?.deny).toEqual(
      expect.arrayContaining(['mcp__*', 'Read', 'Agent', 'ToolSearch']),
    );
  });
});

test.each(driverOptions.filter(({ barred }) => barred !== undefined).map(({ name, value }) => [name, value]))(
  '--%s would restrict, and cannot be obeyed: the program does not start',
  (name, value) => {
    const invocation = parse([value === undefined ? `--${name}` : `--${name}=1`]);
    expect(messageOf(() => refuseBarredFlags(invocation))).toContain(`unsupported: --${name} cannot be obeyed`);
  },
);

test.each<[readonly string[], readonly string[]]>([
  [[], []],
  [['--verbose', '--await-initialize'], []],
  [['--json-schema={}'], ['--json-schema has no effect: answers are not held against a schema']],
  [['--disallowedTools=Bash(rm *),Task,mcp__a,Read,Write,*'], []],
  [
    ['--disallowedTools=notes,mcp_notes_echo,MCP__notes__echo'],
    ['--disallowedTools: no tool is denied by notes, mcp_notes_echo, MCP__notes__echo; write mcp__server__tool'],
  ],
  [['--allowedTools=Bash,mcp__a'], ['--allowedTools: nothing here is allowed by Bash']],
  [['--permission-mode=auto'], ['--permission-mode: the mode auto is not there: default is used']],
  [
    ['--permission-mode=bypassPermissions'],
    ['--permission-mode bypassPermissions has no effect without --allow-dangerously-skip-permissions'],
  ],
])('what has no effect is named: %j', (args, expected) => {
  expect(driverNotes(parse(args))).toEqual(expected);
});

test('files, folders and plugins of a run', () => {
  expect(driverPlaces(parse([]))).toEqual({});
  expect(driverPlaces(parse(['--setting-sources=']))).toEqual({ settingSources: [] });
  expect(
    driverPlaces(parse(['--setting-sources=local,user', '--add-dir=/a', '--add-dir=/b', '--plugin-dir=p'])),
  ).toEqual({
    settingSources: ['user', 'local'],
    additionalDirectories: ['/a', '/b'],
    pluginDirs: ['p'],
  });
  expect(messageOf(() => driverPlaces(parse(['--setting-sources=usr'])))).toContain(
    'usr is none of user, project, local',
  );
});

test.each<[readonly string[], object | undefined]>([
  [[], undefined],
  [['--effort=low', '--betas=a,b'], { effort: 'low', betas: ['a', 'b'] }],
  [['--thinking=adaptive'], { thinking: { kind: 'adaptive' } }],
  [['--thinking=disabled', '--max-thinking-tokens=5'], { thinking: { kind: 'disabled' } }],
  [['--max-thinking-tokens=5'], { thinking: { kind: 'budget', tokens: 5 } }],
  [['--max-thinking-tokens=0'], { thinking: { kind: 'disabled' } }],
  [['--task-budget=20000', '--fallback-model=spare'], { taskBudget: 20_000, fallbackModel: 'spare' }],
])('how the model is to work: %j', (args, expected) => {
  expect(tuningFlags(parse(args))).toEqual(expected);
});

describe('--settings', () => {
  test('given twice is a mistake, and a blank one is none', async () => {
    const deny = ['--settings', '{"permissions":{"deny":["mcp__a"]}}'];
    await expect(readSettingsFlag(parse([...deny, '--settings', '{"model":"x"}']))).rejects.toThrow('given twice');
    expect((await readSettingsFlag(parse([...deny, '--settings='])))?.settings).toEqual({
      permissions: { deny: ['mcp__a'] },
    });
  });

  test.each(['{"sandbox":{"enabled":false}}', '{"theme":"dark"}', '{"permissions":{"disableAutoMode":"disable"}}'])(
    'what restricts nothing is noted: %s',
    async (value) => {
      expect((await readSettingsFlag(parse(['--settings', value])))?.notes).toEqual([
        expect.stringContaining('without effect'),
      ]);
    },
  );

  test('takes permissions in the words of others, and names the rest', async () => {
    const settings = {
      permissions: {
        allow: ['mcp__a', 'Bash(ls)'],
        deny: ['Read(x)'],
        defaultMode: 'plan',
        additionalDirectories: ['/a'],
      },
      hooks: { PreToolUse: [], SubagentStop: [] },
      disabledMcpjsonServers: ['b'],
      theme: 'dark',
    };
    expect(await readSettingsFlag(parse(['--settings', JSON.stringify(settings)]))).toEqual({
      settings: {
        permissions: { allow: ['mcp__a'], deny: ['Read'], mode: 'plan' },
        hooks: { PreToolUse: [] },
        deniedMcpServers: [{ serverName: 'b' }],
      },
      folders: ['/a'],
      widestMode: undefined,
      notes: [
        '--settings: allows nothing with Bash(ls)',
        '--settings: without effect: theme',
        '--settings: hooks of these events never run here: SubagentStop',
      ],
    });
  });

  test.each([
    ['{', 'not valid JSON'],
    ['{"permissions":{"deny":["mcp__a"]},"permissions":{}}', 'permissions appears twice'],
    ['{"permissions":{"servers":{"a":{"mode":"plan"}}}}', 'permissions.servers cannot be obeyed'],
    ['{"permissions":{"Deny":["mcp__a"]}}', 'permissions.Deny cannot be obeyed'],
    ['{"permissions":{"denied":["mcp__a"]}}', 'permissions.denied cannot be obeyed'],
    ['{"permissions":{"disableBypassPermissionsMode":true}}', 'disableBypassPermissionsMode cannot be obeyed'],
    ['{"Permissions":{}}', 'Permissions cannot be obeyed'],
    ['{"settings":{"permissions":{}}}', 'settings cannot be obeyed'],
    ['{"__proto__":{"permissions":{}}}', '__proto__ cannot be obeyed'],
    ['{"sandbox":{"enabled":true}}', 'sandbox cannot be obeyed'],
    ['{"deniedMcpServer":[]}', 'deniedMcpServer cannot be obeyed'],
    ['{"hooks":{"pretooluse":[]}}', 'hooks.pretooluse cannot be obeyed'],
    ['{"permissions":{"defaultMode":"yolo"}}', 'is no mode'],
    ['/nowhere/settings.json', 'cannot be read'],
  ])('that cannot be read is a mistake: %s', async (value, expected) => {
    await expect(readSettingsFlag(parse(['--settings', value]))).rejects.toThrow(expected);
  });

  test('chooses the mode that asks nobody only with its flag, and never against itself', async () => {
    const asking = JSON.stringify({ permissions: { defaultMode: 'bypassPermissions' } });
    expect((await readSettingsFlag(parse(['--settings', asking])))?.settings).toEqual({ permissions: {} });
    expect((await readSettingsFlag(parse(['--settings', asking, BYPASS])))?.settings).toEqual({
      permissions: { mode: 'bypass' },
    });
    const never = JSON.stringify({ permissions: { disableBypassPermissionsMode: 'disable' } });
    await expect(readSettingsFlag(parse(['--settings', never, BYPASS]))).rejects.toThrow('contradict');
  });
});
