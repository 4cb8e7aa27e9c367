import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ServerTarget } from '../../transports/kind.js';
import { decidePolicy, parsePolicy, type Policy, type PolicyEntry } from './policy.js';

type Written = Readonly<Record<string, unknown>>;
type Servers = Readonly<Record<string, string | readonly string[]>>;

const toTarget = (server: string | readonly string[]): ServerTarget =>
  typeof server === 'string' ? { kind: 'url', url: server } : { kind: 'command', argv: server };

/** Checks which of these servers may run under these settings files. */
function check(files: readonly Written[], servers: Servers, expected: readonly string[]): void {
  const policies = files.map((settings, index) =>
    parsePolicy(settings, { file: `/etc/policy-${index}.json`, by: 'user' }),
  );
  const admitted = Object.keys(servers).filter(
    (name) => decidePolicy(policies, { name, target: toTarget(servers[name]!) }).kind === 'admitted',
  );
  expect(admitted).toEqual(expected);
}

const servers: Servers = {
  git: ['npx', '-y', 'git-server'],
  files: ['node', 'files.js'],
  docs: 'https://docs.example.com/mcp',
  chat: 'https://chat.example.com/mcp',
};
const everything = Object.keys(servers);
const allow = (...entries: readonly object[]): Written => ({ allowedMcpServers: entries });
const deny = (...entries: readonly object[]): Written => ({ deniedMcpServers: entries });
const name = (serverName: string): object => ({ serverName });
const command = (...serverCommand: string[]): object => ({ serverCommand });
const url = (serverUrl: string): object => ({ serverUrl });

describe('which servers run', () => {
  test.each<[what: string, files: readonly Written[], expected: readonly string[]]>([
    ['no files: all', [], everything],
    ['no lists: all', [{}, { model: 'x', permissions: {} }], everything],
    ['an empty allow list: none', [allow()], []],
    ['an empty allow list beside a full one: none', [allow(name('git')), allow()], []],
    ['an empty deny list: all', [deny()], everything],
    ['a name', [allow(name('git'))], ['git']],
    ['names of both kinds', [allow(name('git'), name('docs'))], ['git', 'docs']],
    ['a name is no pattern', [allow(name('*'), name('g*'))], []],
    ['a name has its case', [allow(name('Git'))], []],
    ['a denied name', [deny(name('git'))], ['files', 'docs', 'chat']],
    ['a command', [allow(command('npx', '-y', 'git-server'))], ['git']],
    ['a URL', [allow(url('https://docs.example.com/*'))], ['docs']],
    ['names are void for commands once a command is pinned', [allow(name('git'), command('node', '*'))], ['files']],
    ['and stay good for URLs', [allow(name('docs'), command('node', '*'))], ['files', 'docs']],
    ['names are void for URLs once a URL is pinned', [allow(name('docs'), url('chat.example.com'))], ['chat']],
    ['and stay good for commands', [allow(name('git'), url('chat.example.com'))], ['git', 'chat']],
    ['a URL entry admits no command', [allow(url('*'))], ['docs', 'chat']],
    ['a command entry admits no URL', [allow(command('*', '*'))], ['files']],
    ['any entry suffices', [allow(command('no'), command('node', 'files.js'), url('no.test'))], ['files']],
    ['deny wins in one file', [{ ...allow(name('git'), name('docs')), ...deny(name('git')) }], ['docs']],
    ['deny wins over another file', [allow(name('git'), name('docs')), deny(url('docs.example.com'))], ['git']],
    ['deny wins from the first file', [deny(command('npx', '*', '*')), allow(name('git'), name('docs'))], ['docs']],
    ['every allow list has to be met', [allow(name('git'), name('docs')), allow(name('docs'), name('chat'))], ['docs']],
    ['a denied name leaves the same name of no list', [deny(name('git'), name('nobody'))], ['files', 'docs', 'chat']],
  ])('%s', (_, files, expected) => check(files, servers, expected));

  test.each<[settings: Written, expected: string]>([
    [allow(name('ide')), 'admitted'],
    [allow(name('ide'), command('x'), url('*')), 'admitted'],
    [allow(name('inner')), 'denied'],
    [allow(command('ide'), url('*')), 'denied'],
    [deny(name('ide')), 'denied'],
  ])('a server of the embedding program goes by its name alone: %j', (settings, expected) => {
    const target: ServerTarget = { kind: 'embedded', name: 'inner' };
    expect(decidePolicy([parsePolicy(settings, { file: 'f', by: 'user' })], { name: 'ide', target }).kind).toBe(
      expected,
    );
  });
});

describe('a list that cannot be understood stops every server and says where', () => {
  test.each<[settings: unknown, place: string]>([
    [{ allowedMcpServers: null }, 'allowedMcpServers'],
    [{ allowedMcpServers: undefined }, 'allowedMcpServers'],
    [{ allowedMcpServers: 'git' }, 'allowedMcpServers'],
    [{ allowedMcpServers: { serverName: 'git' } }, 'allowedMcpServers'],
    [{ deniedMcpServers: true }, 'deniedMcpServers'],
    [{ deniedMcpServers: ['git'] }, 'deniedMcpServers[0]'],
    [deny(name('a'), {}), 'deniedMcpServers[1]'],
    [deny({ serverName: 'a', serverUrl: 'b.test' }), 'deniedMcpServers[0]'],
    [deny({ serverName: 'a', comment: 'why' }), 'deniedMcpServers[0]'],
    [deny({ servername: 'a' }), 'deniedMcpServers[0]'],
    [deny({ name: 'a' }), 'deniedMcpServers[0]'],
    [deny({ serverName: 1 }), 'deniedMcpServers[0]'],
    [deny({ serverName: null }), 'deniedMcpServers[0]'],
    [deny({ serverName: ['a'] }), 'deniedMcpServers[0]'],
    [deny({ serverCommand: 'npx' }), 'deniedMcpServers[0]'],
    [deny({ serverCommand: [] }), 'deniedMcpServers[0]'],
    [deny({ serverCommand: ['npx', 1] }), 'deniedMcpServers[0]'],
    [deny({ serverUrl: ['a.test'] }), 'deniedMcpServers[0]'],
    [deny({ serverUrl: '' }), 'deniedMcpServers[0]'],
    [deny({ serverUrl: '/mcp' }), 'deniedMcpServers[0]'],
    [deny({ serverUrl: 'https://' }), 'deniedMcpServers[0]'],
    [deny({ serverUrl: 'https://user@evil.test/' }), 'deniedMcpServers[0]'],
    [deny({ serverUrl: 'https://evil.test/#part' }), 'deniedMcpServers[0]'],
    [deny({ serverUrl: 'https:\\\\evil.test' }), 'deniedMcpServers[0]'],
    [deny({ serverUrl: 'https://evil test/' }), 'deniedMcpServers[0]'],
    [deny({ serverUrl: 'https://evil.test:65536/' }), 'deniedMcpServers[0]'],
    [deny({ serverUrl: 'https://evil.test:8*/' }), 'deniedMcpServers[0]'],
    [deny({ serverUrl: 'https://mün*.test/' }), 'deniedMcpServers[0]'],
    [allow(null as unknown as object), 'allowedMcpServers[0]'],
    [allow([] as object), 'allowedMcpServers[0]'],
    [{ ...allow(name('git')), deniedMcpServers: 7 }, 'deniedMcpServers'],
    [{ deniedMCPServers: [] }, 'did you mean "deniedMcpServers"'],
    [{ deniedMcpServer: [] }, 'did you mean "deniedMcpServers"'],
    [{ denyMcpServers: [] }, 'did you mean "deniedMcpServers"'],
    [{ blocked_mcp_servers: [] }, 'did you mean "deniedMcpServers"'],
    [{ allowedMcpServerss: [] }, 'did you mean "allowedMcpServers"'],
    [{ 'allowed-mcp-servers': [] }, 'did you mean "allowedMcpServers"'],
    [{ allowMcpServers: [] }, 'did you mean "allowedMcpServers"'],
  ])('%j', (settings, place) => {
    const policy = parsePolicy(settings as Written, { file: '/etc/managed.json', by: 'user' });
    expect(policy.closed?.reason).toContain('/etc/managed.json');
    expect(policy.closed?.reason).toContain(place);
    expect(decidePolicy([policy], { name: 'x', target: toTarget(['x']) })).toEqual({
      kind: 'denied',
      by: 'closed-policy',
      file: '/etc/managed.json',
      reason: policy.closed?.reason,
    });
    check([settings as Written, allow(name('git'))], servers, []);
  });

  test.each(['allowManagedMcpServersOnly', 'enabledMcpjsonServers', 'enableAllProjectMcpServers', 'mcpServers'])(
    'other settings of other hosts are none of its business: %s',
    (key) => check([{ [key]: ['x'] }], servers, everything),
  );
});

test('a refusal names the entry and the file', () => {
  const reasons = [deny(name('git')), deny(command('npx', '*', '*')), allow(name('x'))].map((settings) => {
    const verdict = decidePolicy([parsePolicy(settings, { file: '/etc/p.json', by: 'user' })], {
      name: 'git',
      target: toTarget(servers['git']!),
    });
    return verdict.kind === 'denied' ? `${verdict.by}: ${verdict.reason}` : 'admitted';
  });
  expect(reasons).toEqual([
    'deny-list: denied by { serverName: "git" } in /etc/p.json',
    'deny-list: denied by { serverCommand: ["npx","*","*"] } in /etc/p.json',
    'allow-list: not on the allow list in /etc/p.json',
  ]);
});

const entry: fc.Arbitrary<PolicyEntry> = fc.oneof(
  fc.constantFrom('git', 'files', 'docs', 'chat').map((serverName) => ({ kind: 'name' as const, serverName })),
  fc
    .constantFrom(['npx', '*', '*'], ['node', 'files.js'], ['*', '*'], ['no'])
    .map((serverCommand) => ({ kind: 'command' as const, serverCommand })),
  fc
    .constantFrom('*', 'docs.example.com', 'https://*.example.com/mcp', 'https://no.test')
    .map((serverUrl) => ({ kind: 'url' as const, serverUrl })),
);
const list = fc.array(entry, { maxLength: 4 });
const policy: fc.Arbitrary<Policy> = fc
  .record({ denied: list, allowed: fc.option(list, { nil: undefined }) })
  .map(({ denied, allowed }) => ({ file: 'f', denied, ...(allowed && { allowed }) }));
const files = fc.array(policy, { minLength: 1, maxLength: 4 });
const subject = fc.constantFrom(...everything).map((server) => ({ name: server, target: toTarget(servers[server]!) }));

test('deny wins over allow, and every allow list has to be met, in all mixes of four files', () => {
  fc.assert(
    fc.property(files, subject, (policies, server) => {
      const alone = policies.flatMap(({ denied, allowed }) => [
        decidePolicy([{ file: 'f', denied }], server).kind,
        decidePolicy([{ file: 'f', denied: [], ...(allowed && { allowed }) }], server).kind,
      ]);
      const expected = alone.includes('denied') ? 'denied' : 'admitted';
      expect(decidePolicy(policies, server).kind).toBe(expected);
      const denying = policies.some(({ denied }) => decidePolicy([{ file: 'f', denied }], server).kind === 'denied');
      const verdict = decidePolicy(policies, server);
      expect(verdict.kind === 'denied' && verdict.by === 'deny-list').toBe(denying);
    }),
    { numRuns: 1000 },
  );
});

test('the order of entries and of files never matters', () => {
  fc.assert(
    fc.property(files, subject, fc.infiniteStream(fc.nat()), (policies, server, numbers) => {
      const shuffled = <T>(items: readonly T[]): T[] =>
        items
          .map((item): [T, number] => [item, numbers.next().value as number])
          .toSorted(([, a], [, b]) => a - b)
          .map(([item]) => item);
      const other = shuffled(policies).map(({ file, denied, allowed }) => ({
        file,
        denied: shuffled(denied),
        ...(allowed && { allowed: shuffled(allowed) }),
      }));
      expect(decidePolicy(other, server).kind).toBe(decidePolicy(policies, server).kind);
    }),
    { numRuns: 1000 },
  );
});

test('one more deny entry never admits anything, and one more name in an allow list never refuses anything', () => {
  fc.assert(
    fc.property(files, subject, entry, fc.constantFrom(...everything), (policies, server, more, serverName) => {
      const before = decidePolicy(policies, server).kind;
      const stricter = policies.map((each, index) =>
        index === 0 ? { ...each, denied: [...each.denied, more] } : each,
      );
      expect([before, 'denied']).toContain(decidePolicy(stricter, server).kind);
      const wider = policies.map((each) =>
        each.allowed ? { ...each, allowed: [...each.allowed, { kind: 'name' as const, serverName }] } : each,
      );
      expect([before, 'admitted']).toContain(decidePolicy(wider, server).kind);
    }),
    { numRuns: 1000 },
  );
});
