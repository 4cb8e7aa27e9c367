import { expect, test } from 'vitest';
import { promptScene, say, toolServer, withTools } from './prompt-scene.js';
import { makeSandbox, type Sandbox, USER_FILE } from './sandbox.js';

interface Finding {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly line?: number;
}

const hook = { hooks: [{ type: 'command', command: 'true' }] };

/** A server `my.work`, whose tools have another prefix because of the dot, with these rules and hooks. */
function fill(permissions: object, hooks: object = {}): Sandbox {
  return makeSandbox({
    [USER_FILE]: { mcpServers: { 'my.work': toolServer }, settings: { permissions, hooks } },
  });
}

/** What `doctor` reports about unmatched rules and matchers: severity, message and hint. */
async function unmatched(sandbox: Sandbox, ...flags: readonly string[]): Promise<readonly string[]> {
  const { json } = await sandbox.run(['doctor', '--json', ...flags]);
  const found = json!.data!['findings'] as readonly Finding[];
  return found
    .filter(({ code }) => code.startsWith('unmatched-'))
    .map(({ severity, message, hint }) => `${severity}: ${message} (${hint})`);
}

const SEE = 'plugboard permissions shows all rules, plugboard tools all tools';
const NAME = 'Name tools as plugboard tools shows them, mcp__server__*, or write a regular expression';

test('doctor names the rules, modes and matchers that match nothing, and only those', async () => {
  const sandbox = fill(
    {
      allow: ['mcp__my.work', 'mcp__my_work__echo', 'mcp__my_wrk__add', 'Read', 'mcp__*__ad*'],
      deny: ['mcp__my.work__drop', 'mcp__elsewhere', 'mcp__my.work__sampling'],
      servers: { 'my.work': { mode: 'default' }, gone: { mode: 'plan' } },
    },
    {
      PreToolUse: [
        { matcher: 'mcp__my.work__*', ...hook },
        { matcher: 'mcp__my_work__e.*', ...hook },
        { matcher: 'mcp__mywork__*', ...hook },
        { matcher: 'mcp__(db|fs)__.*', ...hook },
        { matcher: '', ...hook },
      ],
      Elicitation: [
        { matcher: 'my.work', ...hook },
        { matcher: 'my.wrk', ...hook },
      ],
    },
  );
  expect((await unmatched(sandbox)).toSorted()).toEqual(
    [
      'warning: Rule "mcp__my_wrk__add" in allow matches nothing that is known here (Did you mean mcp__my_work__add?)',
      'warning: Rule "mcp__my.work__drop" in deny matches nothing that is known here (Did you mean mcp__my_work__die?)',
      `info: Rule "mcp__elsewhere" in deny matches nothing that is known here (${SEE})`,
      'info: Mode plan is for server "gone", and no such server is configured here (plugboard permissions shows all rules and modes, plugboard list all servers)',
      'warning: Matcher "mcp__mywork__*" of a hook for PreToolUse matches nothing that is known here, so that the hook never runs (Did you mean mcp__my.work?)',
      `warning: Matcher "mcp__(db|fs)__.*" of a hook for PreToolUse matches nothing that is known here, so that the hook never runs (${NAME})`,
      'warning: Matcher "my.wrk" of a hook for Elicitation matches nothing that is known here, so that the hook never runs (Did you mean my.work?)',
    ].toSorted(),
  );
});

test('what a server may have that nobody has asked is not called a mistake', async () => {
  const sandbox = fill(
    { allow: ['mcp__my.work__anything', 'mcp__mi.work__x'] },
    {
      PreToolUse: [
        { matcher: 'mcp__my.work__any*', ...hook },
        { matcher: '.*_secret', ...hook },
      ],
    },
  );
  expect(await unmatched(sandbox, '--no-connect')).toEqual([
    `info: Rule "mcp__mi.work__x" in allow matches nothing that is known here (${SEE})`,
  ]);
});

test('a matcher that cannot be read is an error, because it stops every call', async () => {
  const sandbox = fill({}, { PreToolUse: [{ matcher: 'mcp__[a-', ...hook }] });
  const { code, json } = await sandbox.run(['doctor', '--json']);
  const [first] = json!.data!['findings'] as readonly Finding[];
  expect([code, first]).toMatchObject([3, { severity: 'error', code: 'unmatched-matcher', line: 14 }]);
  expect(first!.message).toContain('leaves a class open');
});

test('-p says of a flag that it matches nothing, and says nothing of one that matches', async () => {
  const { run } = await promptScene([say('ok'), say('ok')]);
  const wrong = await run([
    '-p',
    'x',
    ...withTools(),
    '--allow',
    'mcp__t__ech',
    '--allow',
    'mcp__t__echo',
    '--deny',
    'mcp__u',
  ]);
  expect(wrong).toMatchObject({
    code: 0,
    stdout: 'ok\n',
    stderr:
      'warning: --deny mcp__u matches no known server or tool; did you mean mcp__t?\n' +
      'warning: --allow mcp__t__ech matches no known server or tool; did you mean mcp__t__echo?\n',
  });
  const right = await run(['-p', 'x', ...withTools(), '--allow', 'mcp__t', '--deny', 'Read']);
  expect(right).toMatchObject({ code: 0, stderr: '' });
});
