import { expect, test } from 'vitest';
import { z } from 'zod';
import { builtInJsonSchemas } from './built-in-json-schemas.js';
import { builtInSchemas } from './built-in-schemas.js';

test('what a model is shown of a built-in tool is what its Zod schema says', () => {
  const made = Object.fromEntries(
    Object.entries(builtInSchemas).map(([name, schema]) => {
      const { $schema: _, ...shown } = z.toJSONSchema(schema, { io: 'input' });
      return [name, shown];
    }),
  );
  expect(builtInJsonSchemas).toEqual(made);
});
