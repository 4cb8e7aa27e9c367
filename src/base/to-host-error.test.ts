import { expect, test } from 'vitest';
import { HostError } from './errors.js';
import { toHostError, type ToHostErrorOptions } from './to-host-error.js';

test.each<[unknown, ToHostErrorOptions, string, string]>([
  [new TypeError('x is undefined'), {}, 'internal', 'A call failed: TypeError: x is undefined'],
  ['a text', {}, 'internal', 'A call failed: a text'],
  [new Error('x'), { reason: 'x' }, 'internal', 'A call failed: x'],
  [new Error('x'), { reason: '', code: 'model-failed' }, 'model-failed', 'A call failed'],
])('%s is told with what failed and keeps its cause (%j)', (cause, options, code, message) => {
  const error = toHostError(cause, 'A call failed', { ...options, hint: 'Do this' });
  expect(error).toMatchObject({ code, message, hint: 'Do this', cause });
});

test('an error of ours stays what it is', () => {
  const error = new HostError('cancelled', 'stopped');
  expect(toHostError(error, 'A call failed')).toBe(error);
});
