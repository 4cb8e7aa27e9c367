import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HostOptions } from '../../src/host/host-options.js';
import { openWalk, person, type WalkScene } from './walk-scene.js';

// What the user allowed for a server of their own does not hold for a repository's server of the same name.

interface Written {
  /** Permissions in the user's config.json. */
  readonly user?: object;
  readonly flags?: HostOptions['permissions'];
  /** The names of the user's own servers. */
  readonly own?: readonly string[];
  readonly brought?: string;
}

/** The outcome of a call of the repository's tool, and the decision that `foresee` returns. */
async function callBrought(
  scene: WalkScene,
  { user = {}, flags, own = ['github'], brought = 'github' }: Written,
): Promise<object> {
  scene.configure(Object.fromEntries(own.map((name) => [name, scene.walking(['list'])])), { permissions: user });
  const mcpServers = { [brought]: scene.walking(['list', 'own'], { WHOSE: 'repository' }) };
  writeFileSync(join(scene.project, '.mcp.json'), JSON.stringify({ mcpServers }));
  const host = await scene.settle({ approveProject: true, permissions: flags ?? {} });
  const name = host.tools().find(({ server, tool }) => server === brought && tool === 'own')!.name;
  const { outcome, error } = await host.call({ name });
  const { behavior } = (await host.foresee(name))!;
  await host.close();
  return { outcome, ...(error && { code: error.code }), behavior };
}

const RUNS = { outcome: 'ok', behavior: 'allow' };
const ASKED = { outcome: 'error', code: 'denied', behavior: 'ask' };

describe('a repository’s server with the name of one of the user’s', () => {
  test.each<[what: string, written: Written, expected: object]>([
    ['a rule for the server', { user: { allow: ['mcp__github'] } }, ASKED],
    ['a rule for all of its tools', { user: { allow: ['mcp__github__*'] } }, ASKED],
    ['a rule for the tool', { user: { allow: ['mcp__github__own'] } }, ASKED],
    ['a rule for the beginning of its name', { user: { allow: ['mcp__git*'] } }, ASKED],
    ['mode bypass of the server', { user: { servers: { github: { mode: 'bypass' } } } }, ASKED],
    // A rule or mode without the server's name holds for every server.
    ['a rule for every server', { user: { allow: ['mcp__*'] } }, RUNS],
    ['mode bypass of all', { user: { mode: 'bypass' } }, RUNS],
    // A stricter rule or mode still holds.
    [
      'mode plan of the server under mode bypass of all',
      { user: { mode: 'bypass', servers: { github: { mode: 'plan' } } } },
      { outcome: 'error', code: 'denied', behavior: 'deny' },
    ],
    [
      'a rule that denies',
      { user: { mode: 'bypass', deny: ['mcp__github'] } },
      { outcome: 'error', code: 'denied', behavior: 'deny' },
    ],
    // Rules of this run or of this project mean the repository's server.
    ['a rule of the command line', { flags: { allow: ['mcp__github'] } }, RUNS],
    ['the same rule in both places', { user: { allow: ['mcp__github'] }, flags: { allow: ['mcp__github'] } }, RUNS],
    // Two server names that become one in a tool's name.
    [
      'a rule for a name that reads the same',
      { user: { allow: ['mcp__git_hub__*'] }, own: ['git.hub'], brought: 'git_hub' },
      ASKED,
    ],
    // Without a user's server of that name the rules hold.
    ['no server of the user’s', { user: { allow: ['mcp__github'] }, own: [] }, RUNS],
    ['another server of the user’s', { user: { allow: ['mcp__github__*'] }, own: ['gitlab'] }, RUNS],
    ['a mode, and no server of the user’s', { user: { servers: { github: { mode: 'bypass' } } }, own: [] }, RUNS],
  ])('has %s', async (_, written, expected) => {
    await using scene = openWalk();
    expect(await callBrought(scene, written)).toEqual(expected);
  });

  test('has what "always" wrote into the local file, and an edit of its entry changes nothing about that', async () => {
    await using scene = openWalk();
    scene.configure({ github: scene.walking(['list']) }, { permissions: { allow: ['mcp__github'] } });
    const write = (env: Record<string, string>): void =>
      writeFileSync(
        join(scene.project, '.mcp.json'),
        JSON.stringify({ mcpServers: { github: scene.walking(['own'], env) } }),
      );
    write({ WHOSE: 'repository' });
    const user = person({ kind: 'allow', remember: 'always' });
    const first = await scene.settle({ approveProject: true, permissions: {}, ports: { ask: user.ask } });
    expect(await first.call({ name: 'mcp__github__own' })).toMatchObject({ outcome: 'ok' });
    expect(user.asked).toHaveLength(1);
    await first.close();
    write({ WHOSE: 'repository', MORE: '1' });
    const second = await scene.settle({ approveProject: true, permissions: {} });
    expect(await second.call({ name: 'mcp__github__own' })).toMatchObject({ outcome: 'ok' });
  });

  test('has the user’s rules no more when the user’s server is switched off, and the user’s has them all along', async () => {
    await using scene = openWalk();
    const own = { ...scene.walking(['list']), disabled: true };
    const settings = { permissions: { allow: ['mcp__github'] } };
    scene.configure({ github: own, other: scene.walking(['list']) }, settings);
    writeFileSync(join(scene.project, '.mcp.json'), JSON.stringify({ mcpServers: { github: scene.walking(['own']) } }));
    const host = await scene.settle({ approveProject: true, permissions: {} });
    expect(await host.call({ name: 'mcp__github__own' })).toMatchObject({ error: { code: 'denied' } });
    await host.close();
    const strangers = await scene.settle({ permissions: {} });
    expect(await strangers.foresee('mcp__github__list')).toBeUndefined();
    await strangers.close();
    scene.configure({ github: scene.walking(['list']) }, settings);
    const mine = await scene.settle({ permissions: {} });
    expect(await mine.call({ name: 'mcp__github__list' })).toMatchObject({ outcome: 'ok' });
  });
});
