import { expect, test } from 'vitest';
import { type GatedServer, openGate } from './live-servers.js';
import { FAR_MS } from './late-clock.js';
import { makeSandbox, PROJECT_FILE, USER_FILE } from './sandbox.js';

/** A server that never answers tools/list; it answers prompts/list. */
const openReticent = (isShut = true): GatedServer => openGate({ silentAbout: ['tools/list'], isShut });
/** A server that answers tools/list with an error. */
const openFailing = (): GatedServer => openGate({ failingAt: ['tools/list'], isShut: true });
const user = (mcpServers: object): Record<string, unknown> => ({ [USER_FILE]: { mcpServers } });

test.each([[['tools', 'a']], [['tools']]])(
  '%j says that a list did not come in time, and not that it is empty',
  async (words) => {
    const { entry, late } = openReticent();
    const sandbox = makeSandbox(user({ a: entry }));
    const run = await sandbox.run([...words, '--timeout', FAR_MS, '--json'], { late: late('tools/list') });
    expect(run.code).toBe(124);
    expect(run.json).toMatchObject({ ok: false, error: { code: 'call-timeout' } });
  },
);

test('a call by the full name of a tool says why its server may not run', async () => {
  const { entry } = openReticent();
  const sandbox = makeSandbox({
    [USER_FILE]: { mcpServers: { 'an off one': { ...entry, disabled: true } } },
    [PROJECT_FILE]: { mcpServers: { new: entry } },
  });
  const off = await sandbox.run(['call', 'mcp__an_off_one__x', '--json']);
  expect([off.code, off.json?.error?.code]).toEqual([1, 'disabled']);
  const unapproved = await sandbox.run(['call', 'mcp__new__x', '--json']);
  expect([unapproved.code, unapproved.json?.error?.code]).toEqual([5, 'not-approved']);
});

test('a server that does not answer in time is named by a call that waits for it', async () => {
  const { entry, received } = openGate({ isShut: true });
  const sandbox = makeSandbox(user({ a: entry }));
  const run = await sandbox.run(['call', 'a.x', '--timeout', FAR_MS, '--json'], { late: { at: received } });
  expect([run.code, run.json?.error?.message]).toEqual([
    124,
    expect.stringMatching(/Server "a" did not (?:finish|answer) /u),
  ]);
});

test.each([
  ['silence', openReticent],
  ['an error', openFailing],
])('%s instead of a list of tools is not told as no tools', async (_, open) => {
  const { entry, late } = open();
  const sandbox = makeSandbox(user({ a: entry }));
  const run = await sandbox.run(['list', '--timeout', FAR_MS, '--json'], { late: late('tools/list') });
  expect(run.json?.data?.['servers']).toMatchObject([{ status: 'connected', tools: null, resources: 0, prompts: 1 }]);
});

const env = { MCP_TIMEOUT: FAR_MS };

test('lists have the time of MCP_TIMEOUT, and a server that does not tell its tools is unhealthy, and connected', async () => {
  const servers = [openReticent(false), openReticent(false), openReticent(false)];
  const helpful = servers.map(() => openGate());
  const error = {
    code: 'call-timeout',
    message: `Server "a" did not answer tools/list within ${FAR_MS} ms`,
    hint: expect.stringMatching(/MCP_TIMEOUT=MS.*plugboard logs a$/u),
  };
  const words = [['list', '--json', '--exit-code'], ['list'], ['get', 'a', '--json']];
  const [run, listed, got] = await Promise.all(
    words.map((args, at) => {
      const [{ entry, received }, other] = [servers[at]!, helpful[at]!];
      // `get` asks about `a` alone, so `b` does not start.
      const told = args[0] === 'list' ? other.received : async (): Promise<void> => {};
      const both = (): Promise<unknown> => Promise.all([received('tools/list'), told('took tools/list')]);
      const sandbox = makeSandbox(user({ a: entry, b: other.entry }));
      return sandbox.run(args, { env, late: { at: both } });
    }),
  );
  expect(run!.code).toBe(3);
  expect(run!.json?.data?.['servers']).toMatchObject([
    { name: 'a', status: 'connected', tools: null, error },
    { name: 'b', status: 'connected', tools: 1 },
  ]);
  expect(listed!.stdout).toMatch(
    /^! a +connected .* plugboard doctor a\n[^]*"a" is connected, but did not list its tools: .* within \d+ ms$/mu,
  );
  expect(got!.json?.data).toMatchObject({ status: 'connected', error });
});

test('a list that fails is the error of its server as well, and a list that is late by --timeout', async () => {
  const sandbox = makeSandbox(user({ a: openGate({ failingAt: ['tools/list'] }).entry, b: openGate().entry }));
  const run = await sandbox.run(['list', '--json', '--exit-code']);
  expect(run.code).toBe(3);
  expect(run.json?.data?.['servers']).toMatchObject([
    { name: 'a', status: 'connected', error: { code: 'server-error', message: expect.stringContaining('tools/list') } },
    { name: 'b', status: 'connected' },
  ]);
  const { entry, late } = openReticent();
  const words = ['list', '--json', '--exit-code', '--timeout', FAR_MS];
  const slow = await makeSandbox(user({ a: entry })).run(words, { late: late('tools/list') });
  expect(slow.code).toBe(3);
  expect(slow.json?.data?.['servers']).toMatchObject([{ status: 'connected', error: { code: 'call-timeout' } }]);
});

test('a call of a tool that its server has not told says so, and suggests nothing of another server', async () => {
  const helpful = openGate().entry;
  const call = async (word: string, more: { env?: typeof env; words?: readonly string[] }): Promise<unknown[]> => {
    const { entry, received } = openReticent(false);
    const sandbox = makeSandbox(user({ a: entry, ab: helpful }));
    const words = ['call', word, '--json', ...(more.words ?? [])];
    const { code, json } = await sandbox.run(words, {
      env: more.env ?? {},
      late: { at: () => received('tools/list') },
    });
    return [code, json?.error];
  };
  for (const word of ['a.echo', 'mcp__a__echo']) {
    expect(await call(word, { env })).toEqual([
      124,
      {
        code: 'call-timeout',
        message: `Tool "${word}" is not known: server "a" has not told its tools: Server "a" did not answer tools/list within ${FAR_MS} ms`,
        hint: 'Give it more time with MCP_TIMEOUT=MS or --timeout MS, or see what it waits for: plugboard logs a',
        docs: 'docs/troubleshooting.md#call-timeout',
      },
    ]);
  }
  const late = await call('a.echo', { words: ['--timeout', FAR_MS] });
  expect(late).toMatchObject([124, { message: expect.stringContaining('has not listed its tools') }]);
});
