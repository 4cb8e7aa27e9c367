import { expect, test } from 'vitest';
import { chosenScopes, type ScopeSources } from './chosen-scopes.js';
import { issuerAt } from '../protocol-fixtures.js';

interface Case {
  readonly pinned?: string[];
  readonly grant?: 'client_credentials' | 'jwt_bearer';
  readonly challenged?: string[];
  readonly resource?: string[];
  readonly issuer?: string[];
  readonly before?: string[];
  readonly more?: string[];
}

function check({ pinned, grant, challenged, resource, issuer, before, more }: Case, expected: string[]): void {
  const sources: ScopeSources = {
    settings: { ...(pinned && { scopes: pinned }), ...(grant && { grant }) },
    discovery: {
      issuer: issuerAt('https://auth.example', { scopesSupported: issuer }),
      resource: 'https://mcp.example',
      scopesSupported: resource,
      hasResourceMetadata: true,
    },
    challenge: challenged && { scopes: challenged },
    before,
    more,
  };
  expect(chosenScopes(sources)).toEqual(expected);
}

test('the entry is asked first, then the challenge, then what the server lists, then nobody', () => {
  check({ pinned: ['p'], challenged: ['c'], resource: ['r'] }, ['p']);
  check({ pinned: [], challenged: ['c'] }, []);
  check({ challenged: ['c'], resource: ['r'] }, ['c']);
  check({ challenged: [], resource: ['r'] }, ['r']);
  check({ issuer: ['everything'] }, []);
});

test('a step up asks for all that was asked for before, and for more', () => {
  check({ before: ['a', 'b'], challenged: ['b', 'c'], more: ['d'] }, ['a', 'b', 'c', 'd']);
});

test('a lasting sign-in is asked for where the authorization server lists it', () => {
  check({ resource: ['r'], issuer: ['r', 'offline_access'] }, ['r', 'offline_access']);
  check({ resource: ['r'], issuer: ['r'] }, ['r']);
  check({ issuer: ['offline_access'] }, []);
});

test.each(['client_credentials', 'jwt_bearer'] as const)('who signs in by %s asks for no lasting sign-in', (grant) => {
  check({ grant, resource: ['r'], issuer: ['r', 'offline_access'] }, ['r']);
  check({ grant, resource: ['r', 'offline_access'], issuer: ['r', 'offline_access'] }, ['r']);
  check({ grant, before: ['r', 'offline_access'], issuer: ['r', 'offline_access'] }, ['r']);
  check({ grant, pinned: ['r', 'offline_access'] }, ['r', 'offline_access']);
});

test('rights that are badly spelt are left out', () => {
  check({ pinned: ['ok', 'a b', 'q"', 'ü', ''] }, ['ok']);
});
