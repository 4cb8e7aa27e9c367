import { describe, expect, test } from 'vitest';
import { reservedNames } from '../../model/reserved-names.js';
import { nameFault, typedNameFault } from './names.js';
import type { ScopeName } from '../scope.js';

describe('a name in a file', () => {
  test.each<[name: string, scope: ScopeName, code: string | undefined]>([
    ['db', 'user', undefined],
    ['My Server (beta) 🙂', 'project', undefined],
    ['__proto__', 'user', undefined],
    ['a.b/c', 'user', undefined],
    ['x'.repeat(300), 'user', undefined],
    ['x'.repeat(301), 'user', 'invalid-entry'],
    ['', 'user', 'invalid-entry'],
    [' \t', 'user', 'invalid-entry'],
    ['plugboard', 'user', 'reserved-name'],
    ['Plugboard', 'user', undefined],
    ['plugin:a:b', 'project', 'reserved-name'],
    ['plugin:a:b', 'plugin', undefined],
    ['plugin', 'user', undefined],
  ])('%.20j in %s is %s', (name, scope, code) => expect(nameFault(name, scope)?.code).toBe(code));
});

describe('a name that is typed', () => {
  test.each<[name: string, fault: string | undefined]>([
    ['my-server_2', undefined],
    ['x'.repeat(300), undefined],
    ['x'.repeat(301), 'Invalid name: it is 301 characters long; the limit is 300.'],
    ['a b', 'Invalid name a b. Names can only contain letters, numbers, hyphens, and underscores.'],
    ['', 'Invalid name . Names can only contain letters, numbers, hyphens, and underscores.'],
    ['é', 'Invalid name é. Names can only contain letters, numbers, hyphens, and underscores.'],
    ['a\n', 'Invalid name a\n. Names can only contain letters, numbers, hyphens, and underscores.'],
    ['workspace', 'Cannot add MCP server "workspace": this name is reserved.'],
  ])('%.20j', (name, fault) => expect(typedNameFault(name)).toBe(fault));
});

test('no reserved name can be used in any way', () => {
  for (const name of reservedNames) {
    expect(nameFault(name, 'user')?.code).toBe('reserved-name');
    expect(typedNameFault(name)).toBeDefined();
  }
});
