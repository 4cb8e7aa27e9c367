import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { errorCodes } from './error-codes.js';
import { HostError } from './errors.js';
import { unreachable } from './never.js';

test('an error tells its code, what failed and what to do', () => {
  const error = new HostError('unknown-server', 'No MCP server named "db"', { hint: 'plugboard list' });
  expect(error).toBeInstanceOf(Error);
  expect([error.name, error.code, error.message, error.hint]).toEqual([
    'HostError',
    'unknown-server',
    'No MCP server named "db"',
    'plugboard list',
  ]);
  expect(String(error)).toBe('HostError: No MCP server named "db"');
});

test('the cause is kept for whoever debugs, and is not part of what is sent', () => {
  const cause = new Error('EACCES');
  const error = new HostError('config-unreadable', 'cannot read', { cause });
  expect(error.cause).toBe(cause);
  expect(JSON.stringify(error)).toBe(
    '{"code":"config-unreadable","message":"cannot read","docs":"docs/troubleshooting.md#config-unreadable"}',
  );
  expect(inspect(error)).toContain('EACCES');
});

test('without a hint or a cause there is none', () => {
  const error = new HostError('internal', 'x');
  expect(error.hint).toBeUndefined();
  expect('cause' in error).toBe(false);
  expect(JSON.stringify(new HostError('internal', 'x', { hint: '' }))).toBe(
    '{"code":"internal","message":"x","hint":"","docs":"docs/troubleshooting.md#internal"}',
  );
});

test('every code appears once, and an error names the section of the documentation for its code', () => {
  expect(new Set(errorCodes).size).toBe(errorCodes.length);
  for (const code of errorCodes) expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/u);
  expect(new HostError('call-timeout', 'x').docs).toBe('docs/troubleshooting.md#call-timeout');
});

test('a case that nobody handles is loud', () => {
  expect(() => unreachable({ kind: 'new' } as never)).toThrow('Unreachable: {"kind":"new"}');
});
