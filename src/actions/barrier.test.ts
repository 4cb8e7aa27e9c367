import { expect, test } from 'vitest';
import type { ConfiguredServer, Standing } from '../config/entries/server.js';
import { type Barrier, refuseShadowed, mustRun, toRefusal } from './barrier.js';
import type { ServerFacts } from './servers/server-facts.js';

function factsOf(standing: Standing, more: Partial<ConfiguredServer> = {}): ServerFacts {
  const entry = { written: {}, config: undefined, author: 'user', scope: 'user', origin: 'FILE' } as const;
  return { server: { name: 'a b', standing, ...entry, ...more }, status: undefined, canSignIn: false };
}

function check(barrier: Barrier | undefined, expected: string | undefined): void {
  const refusal = barrier && toRefusal('a b', barrier);
  expect(refusal && `${refusal.code}: ${refusal.message} => ${refusal.hint}`).toBe(expected);
}

const shadowed = { kind: 'suppressed', how: 'shadowed', by: { name: 'a b', scope: 'local' } } as const;
const same = { kind: 'suppressed', how: 'duplicate', by: { name: 'other', scope: 'local' } } as const;

test.each<[Standing, string | undefined]>([
  [{ kind: 'ready' }, undefined],
  [{ kind: 'disabled', by: 'user' }, `disabled: Server "a b" is disabled => plugboard enable 'a b'`],
  [
    { kind: 'unapproved', rejected: false },
    `not-approved: Server "a b" comes from this project and is not approved => plugboard approve 'a b'`,
  ],
  [
    { kind: 'untrusted', folder: '/p', isRefused: false, reason: 'it starts there' },
    'folder-untrusted: Server "a b" needs /p, which is not trusted: it starts there => plugboard trust /p',
  ],
  [
    { kind: 'denied', by: 'deny-list', reason: 'it is on a list' },
    'policy-denied: Server "a b" may not run: it is on a list => Ask the owner of that file, or edit it if it is yours',
  ],
  [
    { kind: 'invalid', reason: 'no command' },
    `config-invalid: Server "a b" cannot be used: no command => plugboard get 'a b'`,
  ],
  [same, 'disabled: Server "a b" is replaced by "other" => plugboard get other'],
])('a server that is %j is refused where it has to run', (standing, expected) =>
  check(mustRun(factsOf(standing)), expected),
);

test('a server that was switched off in its host alone does not run either', () => {
  check(
    mustRun({ ...factsOf({ kind: 'ready' }), status: 'disabled' }),
    `disabled: Server "a b" is disabled => plugboard enable 'a b'`,
  );
});

test('what came on the command line is mended there', () => {
  const facts = factsOf({ kind: 'invalid', reason: 'no command' }, { scope: 'dynamic' });
  check(
    mustRun(facts),
    'config-invalid: Server "a b" cannot be used: no command => Correct the entry on the command line',
  );
});

test('of several definitions of a name only the one that counts is switched', () => {
  check(
    refuseShadowed(factsOf(shadowed)),
    `disabled: Server "a b" of FILE is shadowed by local config => plugboard get 'a b'`,
  );
  check(refuseShadowed(factsOf(same)), undefined);
  check(refuseShadowed(factsOf({ kind: 'denied', by: 'deny-list', reason: 'x' })), undefined);
});
