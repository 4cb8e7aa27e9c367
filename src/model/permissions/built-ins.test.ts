import { expect, test } from 'vitest';
import { builtInSchemas } from '../../tools/built-in-schemas.js';
import { builtInNames } from './built-ins.js';

test('rules know every tool that is built in', () => {
  expect([...builtInNames].toSorted()).toEqual(Object.keys(builtInSchemas).toSorted());
});
