import { expect, test } from 'vitest';
import { redactValue } from './redact-value.js';
import { Spilled } from '../spilled.js';

const redact = (text: string): string => text.replaceAll('secret', '***');

test('every text is redacted, wherever it stands, and the beginning of what is in a file as well', () => {
  const spilled = new Spilled({ kind: 'text', bytes: 9, place: '/tmp/x', preview: 'a secret' });
  const value = JSON.parse('{"a":["secret",{"b":"no secret"}],"__proto__":{"c":"secret"},"n":1,"z":null}') as object;
  expect(redactValue({ ...value, spilled }, redact)).toEqual({
    ...(JSON.parse('{"a":["***",{"b":"no ***"}],"__proto__":{"c":"***"},"n":1,"z":null}') as object),
    spilled: new Spilled({ kind: 'text', bytes: 9, place: '/tmp/x', preview: 'a ***' }),
  });
});

test('a value with nothing to take out is not copied', () => {
  const value = {
    a: ['x', { b: [1, null, true] }],
    spilled: new Spilled({ kind: 'json', bytes: 1, place: '', preview: '' }),
  };
  expect(redactValue(value, redact)).toBe(value);
});
