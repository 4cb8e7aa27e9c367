import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEntry, serverTargetOf } from '../transports/kinds.js';
import { resolveServers } from './resolve.js';
import { type ScopeName, scopeNames } from './scope.js';
import type { ConfiguredServer, Standing } from './entries/server.js';
import { signatureOf } from './entries/signature.js';

const standings: Readonly<Record<string, Standing>> = {
  ready: { kind: 'ready' },
  off: { kind: 'disabled', by: 'user' },
  'off-in-entry': { kind: 'disabled', by: 'entry' },
  unapproved: { kind: 'unapproved', rejected: false },
  rejected: { kind: 'unapproved', rejected: true },
  denied: { kind: 'denied', by: 'deny-list', reason: 'denied by a rule' },
  'not-allowed': { kind: 'denied', by: 'allow-list', reason: 'not on the list' },
  closed: { kind: 'denied', by: 'closed-policy', reason: 'closed' },
  invalid: { kind: 'invalid', reason: 'command: is empty' },
};

/** Parses `local db npx ready`: scope, name, what it runs (`http…` is a URL) and its standing before resolution. */
function toServer(line: string): ConfiguredServer {
  const [scope, name, runs, standing] = line.split(' ') as [ScopeName, string, string, string];
  const { config } = parseEntry(runs.startsWith('http') ? { url: runs } : { command: runs });
  const written = { standing: standings[standing]!, config: standing === 'invalid' ? undefined : config };
  const author = scope === 'project' ? 'repository' : scope === 'connectors' ? 'remote' : 'user';
  return { name, scope, origin: `${scope} file`, author, written: {}, ...written };
}

function describeStanding({ standing }: ConfiguredServer): string {
  if (standing.kind === 'suppressed') return `${standing.how} by ${standing.by.scope} ${standing.by.name}`;
  if (standing.kind === 'denied') return `denied: ${standing.reason}`;
  return standing.kind;
}

/** Compares the standing of each server after resolution; servers are given strongest first. */
function check(servers: readonly (readonly [line: string, expected: string])[]): void {
  const resolved = resolveServers(servers.map(([line]) => toServer(line)));
  expect(resolved.map(describeStanding)).toEqual(servers.map(([, expected]) => expected));
}

describe('one name in several scopes connects once, with the strongest definition that may run', () => {
  test('the strongest of all scopes wins', () => {
    check(
      scopeNames.map((scope, index) => [
        `${scope} db run${index} ready`,
        index === 0 ? 'ready' : 'shadowed by enterprise db',
      ]),
    );
  });

  test.each<[standing: string, outcome: string]>([
    ['unapproved', 'unapproved'],
    ['rejected', 'unapproved'],
    ['denied', 'denied: denied by a rule'],
    ['not-allowed', 'denied: not on the list'],
    ['closed', 'denied: closed'],
    ['invalid', 'invalid'],
  ])('a %s project server never shadows the user’s', (standing, outcome) => {
    check([
      [`project db a ${standing}`, outcome],
      ['user db b ready', 'ready'],
    ]);
  });

  test('a server that the user switched off stays off, and so does the weaker one of its name', () => {
    check([
      ['project db a off', 'disabled'],
      ['user db b ready', 'shadowed by project db'],
    ]);
    check([
      ['local db a off-in-entry', 'disabled'],
      ['user db b ready', 'shadowed by local db'],
    ]);
  });

  test('a repository that disables its entry does not switch off the user’s server', () => {
    check([
      ['project db a off-in-entry', 'disabled'],
      ['user db b ready', 'ready'],
    ]);
  });

  test('a weaker one that may not run anyway says so, and not that it is shadowed', () => {
    check([
      ['local db a ready', 'ready'],
      ['project db b unapproved', 'unapproved'],
      ['user db c invalid', 'invalid'],
      ['linked db d off', 'shadowed by local db'],
    ]);
  });

  test('nearer files of one scope come first and win', () => {
    check([
      ['project db near ready', 'ready'],
      ['project db far ready', 'shadowed by project db'],
    ]);
  });

  test('names differ by case', () => {
    check([
      ['local db a ready', 'ready'],
      ['user DB b ready', 'ready'],
    ]);
  });
});

describe('a denied server stays denied under any other name', () => {
  test('even in a stronger scope, and by another spelling of its URL', () => {
    const denied = 'denied: the same server as "evil", which is denied by a rule';
    check([
      ['local harmless https://EVIL.test:443/mcp ready', denied],
      ['user evil https://evil.test/mcp denied', 'denied: denied by a rule'],
      ['plugin other https://proxy.test/?mcp_url=https://evil.test/mcp ready', denied],
      ['connectors more https://evil.test/other ready', 'ready'],
    ]);
  });

  test('a repository cannot get a server of the user denied by putting it under a denied name', () => {
    check([
      ['project evil run denied', 'denied: denied by a rule'],
      ['user mine run ready', 'ready'],
    ]);
  });

  test('deduplication does not drop the denied twin and then run it', () => {
    check([
      ['user evil run denied', 'denied: denied by a rule'],
      ['plugin plugin:p:evil run ready', 'denied: the same server as "evil", which is denied by a rule'],
      ['connectors evil run ready', 'denied: the same server as "evil", which is denied by a rule'],
    ]);
  });

  test('a denied twin does not keep the next definition of its name from running', () => {
    check([
      ['local db run ready', 'denied: the same server as "evil", which is denied by a rule'],
      ['user evil run denied', 'denied: denied by a rule'],
      ['user db other ready', 'ready'],
    ]);
  });

  test.each(['not-allowed', 'closed'])('one that is merely %s denies no other', (standing) => {
    check([
      [`user first run ${standing}`, describeStanding(toServer(`user first run ${standing}`))],
      ['user second run ready', 'ready'],
    ]);
  });
});

describe('what plugins and connectors bring gives way to the same server', () => {
  test('a manual server beats a plugin’s, running or switched off', () => {
    check([
      ['user db run ready', 'ready'],
      ['plugin plugin:p:db run ready', 'duplicate by user db'],
    ]);
    check([
      ['user db run off', 'disabled'],
      ['plugin plugin:p:db run ready', 'duplicate by user db'],
    ]);
    check([
      ['local db run off-in-entry', 'disabled'],
      ['plugin plugin:p:db run ready', 'duplicate by local db'],
    ]);
  });

  test.each(['unapproved', 'rejected', 'not-allowed', 'closed', 'off-in-entry'])(
    'a project server that is %s does not take a plugin’s away',
    (standing) => {
      const resolved = resolveServers([`project db run ${standing}`, 'plugin plugin:p:db run ready'].map(toServer));
      expect(resolved[1]!.standing.kind).toBe('ready');
    },
  );

  test('a repository that disables its entry does not bring back what the user switched off', () => {
    check([
      ['project mine run off-in-entry', 'disabled'],
      ['user db run off', 'disabled'],
      ['plugin plugin:p:db run ready', 'duplicate by user db'],
    ]);
  });

  test('the first plugin beats the second, unless it is switched off', () => {
    check([
      ['plugin plugin:p:db run ready', 'ready'],
      ['plugin plugin:q:db run ready', 'duplicate by plugin plugin:p:db'],
      ['plugin plugin:r:db run ready', 'duplicate by plugin plugin:p:db'],
    ]);
    check([
      ['plugin plugin:p:db run off', 'disabled'],
      ['plugin plugin:q:db run ready', 'ready'],
      ['plugin plugin:r:db run ready', 'duplicate by plugin plugin:q:db'],
    ]);
  });

  test('an enabled manual server beats its connector twin, a disabled one does not', () => {
    check([
      ['user db https://db.test/mcp ready', 'ready'],
      ['connectors Database https://proxy.test/?mcp_url=https%3A%2F%2FDB.test%2Fmcp ready', 'duplicate by user db'],
    ]);
    check([
      ['user db https://db.test/mcp off', 'disabled'],
      ['connectors Database https://db.test/mcp ready', 'ready'],
    ]);
  });

  test('a plugin’s server beats its connector twin, and two connectors are one', () => {
    check([
      ['plugin plugin:p:db https://db.test/ ready', 'ready'],
      ['connectors a https://db.test/ ready', 'duplicate by plugin plugin:p:db'],
    ]);
    check([
      ['connectors a https://db.test/ ready', 'ready'],
      ['connectors b https://db.test/ ready', 'duplicate by connectors a'],
    ]);
  });

  test('manual servers may be the same under two names', () => {
    check([
      ['local a run ready', 'ready'],
      ['user b run ready', 'ready'],
      ['plugin c other ready', 'ready'],
    ]);
  });

  test('a shadowed server is nobody’s twin, and a duplicate keeps nobody from its name', () => {
    check([
      ['local db one ready', 'ready'],
      ['user db two ready', 'shadowed by local db'],
      ['plugin p two ready', 'ready'],
    ]);
    check([
      ['user db run ready', 'ready'],
      ['plugin tool run ready', 'duplicate by user db'],
      ['connectors tool other ready', 'ready'],
    ]);
  });
});

/** Few names and targets, so that servers collide often; sorted strongest first, as after loading. */
const line = fc.record({
  scope: fc.constantFrom(...scopeNames),
  name: fc.constantFrom('a', 'b', 'c'),
  runs: fc.constantFrom('x', 'y', 'https://z.test/', 'https://Z.test:443'),
  standing: fc.constantFrom(...Object.keys(standings), 'ready', 'ready', 'ready'),
});
const candidates = fc
  .array(line, { maxLength: 12 })
  .map((lines) =>
    lines
      .toSorted((a, b) => scopeNames.indexOf(a.scope) - scopeNames.indexOf(b.scope))
      .map(({ scope, name, runs, standing }) => toServer(`${scope} ${name} ${runs} ${standing}`)),
  );
const signature = ({ config }: ConfiguredServer): string => (config ? signatureOf(serverTargetOf(config)) : '');
const always = (property: (servers: readonly ConfiguredServer[]) => void): void =>
  fc.assert(fc.property(candidates, property), { numRuns: 2000 });

test('every definition comes back in its place, and at most one of a name runs', () => {
  always((servers) => {
    const resolved = resolveServers(servers);
    expect(resolved).toEqual(servers.map((server, index) => ({ ...server, standing: resolved[index]!.standing })));
    const running = resolved.filter(({ standing }) => standing.kind === 'ready').map(({ name }) => name);
    expect(running).toEqual([...new Set(running)]);
  });
});

test('nothing runs that may not, and what was resolved once stays as it is', () => {
  always((servers) => {
    const resolved = resolveServers(servers);
    const started = servers.filter((_, index) => resolved[index]!.standing.kind === 'ready');
    expect(started.filter(({ standing }) => standing.kind !== 'ready')).toEqual([]);
    expect(resolveServers(resolved)).toEqual(resolved);
  });
});

const powerless = ({ standing }: ConfiguredServer): boolean =>
  !['ready', 'disabled'].includes(standing.kind) && !(standing.kind === 'denied' && standing.by === 'deny-list');
const idle = ({ scope, standing }: ConfiguredServer): boolean =>
  scope === 'project' && standing.kind === 'disabled' && standing.by === 'entry';

test.each([
  ['a server that may not run, unless it is a denied twin', powerless],
  ['a server that a repository disables in its own entry', idle],
])('%s changes nothing for the others', (_, without) => {
  always((servers) => {
    const others = resolveServers(servers.filter((server) => !without(server)));
    expect(resolveServers(servers).filter((_server, index) => !without(servers[index]!))).toEqual(others);
  });
});

test('whoever is kept from running is kept by someone that runs, or that the user switched off', () => {
  always((servers) => {
    const resolved = resolveServers(servers);
    for (const { standing } of resolved) {
      if (standing.kind !== 'suppressed') continue;
      const { by } = standing;
      const holder = resolved.find(
        (server) =>
          server.name === by.name && server.scope === by.scope && ['ready', 'disabled'].includes(server.standing.kind),
      );
      expect(holder).toBeDefined();
    }
  });
});

const isBrought = (scope: string): boolean => scope === 'project' || scope === 'connectors';

test('the strongest of a name that may run does run, unless it is a denied twin, off, or a duplicate', () => {
  always((servers) => {
    const resolved = resolveServers(servers);
    const denied = new Set(
      servers
        .filter(({ standing, scope }) => standing.kind === 'denied' && standing.by === 'deny-list' && !isBrought(scope))
        .map(signature),
    );
    for (const name of ['a', 'b', 'c']) {
      const first = servers.findIndex(
        (server) =>
          server.name === name &&
          ((server.standing.kind === 'ready' && !denied.has(signature(server))) ||
            (server.standing.kind === 'disabled' && (server.standing.by === 'user' || !isBrought(server.scope)))),
      );
      const server = resolved[first];
      if (!server || servers[first]!.standing.kind === 'disabled') continue;
      const { standing, scope } = server;
      const mayGiveWay = scope === 'plugin' || scope === 'connectors';
      expect(standing.kind === 'suppressed' && mayGiveWay ? standing.how : standing.kind).toMatch(
        /^(?:ready|duplicate)$/u,
      );
    }
  });
});
