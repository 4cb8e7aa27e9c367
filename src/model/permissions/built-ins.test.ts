import { expect, test } from 'vitest';
import { builtInJsonSchemas } from '../../tools/built-in-json-schemas.js';
import { builtInNames } from './built-ins.js';

test('rules know every tool that is built in', () => {
  expect([...builtInNames].toSorted()).toEqual(Object.keys(builtInJsonSchemas).toSorted());
});
