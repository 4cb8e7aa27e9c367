import { expect, test } from 'vitest';
import { argumentsFor } from './arguments.js';

test('arguments are made up for what a schema requires, and for nothing else', () => {
  const schema = objectOf({
    text: { type: 'string' },
    choice: { enum: ['first', 'second'] },
    usual: { type: 'number', default: 3 },
    least: { type: 'integer', minimum: 5 },
    either: { type: ['boolean', 'string'] },
    list: { type: 'array', items: objectOf({ name: { type: 'string' } }) },
  });
  expect(argumentsFor(schema)).toEqual({
    text: 'something',
    choice: 'first',
    usual: 3,
    least: 5,
    either: false,
    list: [{ name: 'something' }],
  });
  expect(argumentsFor({ type: 'object', properties: { text: { type: 'string' } } })).toEqual({});
});

function objectOf(properties: object): { [keyword: string]: unknown } {
  return { type: 'object', properties, required: Object.keys(properties) };
}
