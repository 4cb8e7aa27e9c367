import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../test/any-character.js';
import { toHeaderValue } from '../../model/text/header-value.js';
import { mirror, readMirrored } from './mirrored-arguments.js';

const marked = (mark: unknown, type: unknown = 'string'): object => ({ type, 'x-mcp-header': mark });
const tool = (properties: object): { [key: string]: unknown } => ({ type: 'object', properties });

test('marked arguments go into headers, from wherever they stand', () => {
  const mirrored = readMirrored(
    tool({
      region: marked('Region'),
      dry: marked('Dry-Run', 'boolean'),
      page: { type: 'object', properties: { size: marked('Size', 'integer') } },
      query: { type: 'string' },
    }),
  );
  const input = { region: 'eu', dry: false, page: { size: 10 }, query: 'x' };
  expect(mirror(mirrored as never, input)).toEqual([
    'mcp-param-Region',
    'eu',
    'mcp-param-Dry-Run',
    'false',
    'mcp-param-Size',
    '10',
  ]);
});

test('what is absent, null or not of its type has no header', () => {
  const mirrored = readMirrored(tool({ a: marked('A'), b: marked('B'), c: marked('C', 'integer'), d: marked('D') }));
  const input = { a: null, c: 2 ** 60, d: { deep: true } };
  expect(mirror(mirrored as never, input)).toEqual([]);
  expect(mirror(readMirrored(tool({ toString: marked('X') })) as never, {})).toEqual([]);
});

test.each([
  ['an empty name', tool({ a: marked('') })],
  ['a name that is no text', tool({ a: marked(1) })],
  ['a name with a blank', tool({ a: marked('My Header') })],
  ['a name with a line break', tool({ a: marked('A\r\nEvil: 1') })],
  ['a name beyond ASCII', tool({ a: marked('Ärger') })],
  ['a number', tool({ a: marked('A', 'number') })],
  ['an object', tool({ a: marked('A', 'object') })],
  ['several types', tool({ a: marked('A', ['string', 'null']) })],
  ['the same name twice', tool({ a: marked('A'), b: marked('a') })],
  ['a place below items', tool({ a: { type: 'array', items: marked('A') } })],
  ['a place below anyOf', tool({ a: { anyOf: [marked('A')] } })],
  ['a place below $defs', { ...tool({}), $defs: { a: marked('A') } }],
  ['a place below if', { ...tool({}), if: { properties: { a: marked('A') } } }],
  ['a place below anyOf that is called like data', tool({ a: { anyOf: [tool({ default: marked('A') })] } })],
  ['the schema itself', { ...tool({}), 'x-mcp-header': 'A' }],
])('a tool that marks %s is not usable, and says why', (_, schema) => {
  expect(readMirrored(schema)).toEqual(expect.any(String));
});

test('what only looks like a mark is data', () => {
  expect(readMirrored(tool({ a: { type: 'string', default: { 'x-mcp-header': 'A' } } }))).toEqual([]);
  expect(readMirrored(tool({ 'x-mcp-header': { type: 'string' } }))).toEqual([]);
  expect(readMirrored(tool({ a: { anyOf: [tool({ 'x-mcp-header': { type: 'string' } })] } }))).toEqual([]);
});

test('a schema of a million parts is given up in time', () => {
  let deep: object = {};
  for (let level = 0; level < 100_000; level++) deep = { items: deep };
  expect(readMirrored(tool({ a: deep }))).toEqual(expect.stringContaining('too large'));
});

function read(value: string): string {
  const [, base64] = /^=\?base64\?(.*)\?=$/u.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString('utf8');
}

test('whatever a text holds, a server reads it back from the header', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const value = toHeaderValue(text);
      expect(value).toMatch(/^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/u);
      expect(read(value)).toBe(Buffer.from(text, 'utf8').toString('utf8'));
    }),
  );
  expect(toHeaderValue('')).toBe('=?base64??=');
  expect(toHeaderValue('=?base64?eA==?=')).toBe('=?base64?PT9iYXNlNjQ/ZUE9PT89?=');
  expect(toHeaderValue('a b')).toBe('a b');
});
