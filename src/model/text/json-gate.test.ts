import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gateJson, type JsonGateOptions } from './json-gate.js';
import { TRUNCATION_MARK } from './text-gate.js';

/** Compares JSON texts, because a literal cannot contain `__proto__` and undefined would be lost. */
function check(input: string, expected: string, options: JsonGateOptions = {}): void {
  const gated = gateJson(JSON.parse(input), options);
  expect(JSON.stringify(gated.value)).toBe(expected);
  expect(JSON.stringify(gateJson(gated.value, options).value)).toBe(expected);
}

describe('every text inside a value is gated', () => {
  test.each<[input: string, expected: string]>([
    ['null', 'null'],
    ['0', '0'],
    ['"a\\u0000b"', '"ab"'],
    ['["a","\\u202eb"]', '["a","b"]'],
    ['{"a":{"b":[1,{"c":"\\u001b[31mred"}]}}', '{"a":{"b":[1,{"c":"red"}]}}'],
    ['{"a\\u200b":1}', '{"a":1}'],
    ['{"a\\nb":"c\\nd"}', '{"a b":"c\\nd"}'],
    ['{"a\\u200b":"forged","a":"real"}', '{"a":"real"}'],
    ['{"a":"real","a\\u200b":"forged"}', '{"a":"real"}'],
    ['{"a\\u200b":1,"a\\u200c":2}', '{"a":1}'],
    ['{"__proto__":{"admin":"\\u0000yes"}}', '{"__proto__":{"admin":"yes"}}'],
    ['{"__proto__\\u200b":{"admin":true}}', '{"__proto__":{"admin":true}}'],
    ['{"constructor":{"prototype":{"x":"\\u0000"}}}', '{"constructor":{"prototype":{"x":""}}}'],
    ['{"b":"1","a":"\\u0000","c":"3"}', '{"b":"1","a":"","c":"3"}'],
  ])('%s', check);
});

describe('what is too long, too deep or too much is cut off, and says so', () => {
  const mark = JSON.stringify(TRUNCATION_MARK);
  test.each<[input: string, expected: string, options: JsonGateOptions]>([
    [`["${'x'.repeat(30)}"]`, `["x${TRUNCATION_MARK}"]`, { limit: 14 }],
    ['[[[1]]]', `[[${mark}]]`, { depth: 2 }],
    ['[[[1]]]', '[[[1]]]', { depth: 3 }],
    ['{"a":{"b":{}}}', `{"a":{"b":${mark}}}`, { depth: 2 }],
    ['[1,2,3,4,5]', `[1,2,3,${mark}]`, { nodes: 4 }],
    ['[1,2,3]', '[1,2,3]', { nodes: 4 }],
    ['[[1,2,3],4]', `[[1,${mark}],${mark}]`, { nodes: 3 }],
    ['{"a":1,"b":2,"c":3}', `{"a":1,"b":2,${mark}:${mark}}`, { nodes: 3 }],
  ])('%s becomes %s', check);

  test('100,000 nested arrays can be printed afterwards', () => {
    let deep: unknown = 'core';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const { value, findings } = gateJson(deep);
    expect(JSON.stringify(value)).toHaveLength(2 * 512 + TRUNCATION_MARK.length + 2);
    expect(findings).toEqual([{ kind: 'truncated', count: 1 }]);
  });

  test('a value that contains itself ends', () => {
    const loop: unknown[] = [];
    loop.push(loop, loop);
    expect(gateJson(loop, { nodes: 1000 }).findings[0]?.kind).toBe('truncated');
  });
});

test('a clean value is the same object, and the clean half of an unclean one too', () => {
  const clean: unknown = JSON.parse('{"a":["b",{"__proto__":{}}]}');
  expect(gateJson(clean).value).toBe(clean);
  expect(gateJson({ clean, unclean: '\u0000' }).value).toHaveProperty(
    'clean',
    expect.toSatisfy((it) => it === clean),
  );
});

test('the value that was given is not changed', () => {
  const value = Object.freeze({ list: Object.freeze(['\u0000']) });
  expect(gateJson(value).value).toEqual({ list: [''] });
  expect(value.list).toEqual(['\u0000']);
});

test('no prototype is ever set', () => {
  const { value } = gateJson(JSON.parse('{"x":"\\u0000","__proto__":{"polluted":"\\u0000yes"}}'));
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(value).not.toHaveProperty('polluted');
  expect({}).not.toHaveProperty('polluted');
});

test('the findings of all texts are added up', () => {
  expect(gateJson(['\u0000', { '\u202ea': '\u0000\u0000' }]).findings).toEqual([
    { kind: 'control', count: 3 },
    { kind: 'bidi', count: 1 },
  ]);
});

test('what has passed the gate passes it again as the same object', () => {
  const { counterexample } = fc.check(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const once = gateJson(value).value;
      return Object.is(gateJson(once).value, once);
    }),
    { numRuns: 1000 },
  );
  expect(counterexample).toBeNull();
});
