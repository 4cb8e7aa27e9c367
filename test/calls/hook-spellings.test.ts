import { expect, test } from 'vitest';
import { openWalk } from './walk-scene.js';

// A hook that blocks calls must match every spelling of the server's name that its author may use.

interface Case {
  readonly server: string;
  readonly matcher: string;
  readonly isBlocked: boolean;
}

test.each<Case>([
  { server: 'my.server', matcher: 'mcp__my.server__*', isBlocked: true },
  { server: 'my.server', matcher: 'mcp__my.server', isBlocked: true },
  { server: 'my.server', matcher: 'mcp__my.server__one', isBlocked: true },
  { server: 'my.server', matcher: 'mcp__my_server__*', isBlocked: true },
  { server: 'my.server', matcher: 'Read | mcp__my.server__o*', isBlocked: true },
  { server: 'my.server', matcher: 'mcp__my\\.server__.*', isBlocked: true },
  { server: 'my.server', matcher: 'mcp__my_server__.+', isBlocked: true },
  { server: 'my server', matcher: 'mcp__my server__*', isBlocked: true },
  { server: 'my server', matcher: 'Read|mcp__my server', isBlocked: true },
  { server: 'my server', matcher: 'mcp__my server__one', isBlocked: true },
  { server: 'büro', matcher: 'mcp__büro__*', isBlocked: true },
  { server: 'büro', matcher: 'mcp__büro', isBlocked: true },
  // A matcher for another server or tool does not block.
  { server: 'my.server', matcher: 'mcp__myXserver__*', isBlocked: false },
  { server: 'my.server', matcher: 'mcp__my', isBlocked: false },
  { server: 'my.server', matcher: 'mcp__my.server__two', isBlocked: false },
  { server: 'my.server', matcher: '(?!mcp__my_server__).*', isBlocked: false },
  { server: 'my.server', matcher: 'mcp__(db|fs)__.*', isBlocked: false },
])('a hook for $matcher stops a call of "$server": $isBlocked', async ({ server, matcher, isBlocked }) => {
  await using scene = openWalk();
  const hooks = { PreToolUse: [{ matcher, hooks: [{ type: 'command', command: 'echo not here >&2; exit 2' }] }] };
  scene.configure({ [server]: scene.walking(['one']) }, { hooks });
  const host = await scene.settle();
  const [tool] = host.tools();
  const { error } = await host.call({ name: tool!.name });
  expect(error?.message.includes('not here') ?? false).toBe(isBlocked);
});

test.each([
  ['my.server', true],
  ['my_server', true],
  ['mcp__my.server', true],
  ['my', false],
])('a hook that answers questions of %j answers those of "my.server": %j', async (matcher, isAnswered) => {
  await using scene = openWalk();
  scene.configure({ 'my.server': scene.walking(['page']) });
  const asked: string[] = [];
  const run = ({ server }: { server: string }): undefined => void asked.push(server);
  const host = await scene.settle({ hooks: { elicitation: [{ matcher, run }] } });
  await host.call({ name: 'mcp__my_server__page' });
  expect(asked).toEqual(isAnswered ? ['my.server'] : []);
});
